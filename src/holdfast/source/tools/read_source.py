"""`read_source`: the lines of a file, each as pieces that say what they are, and an outline of it."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from holdfast.kernel.errors import NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.room import Source
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath, typed_path
from holdfast.storage.git.line_diff import is_binary
from holdfast.syntax.colours import Colour

if TYPE_CHECKING:
    from holdfast.syntax.facts import Facts

Unshown = Literal["binary", "too large"]

_SHOWN = 2000


class ReadSource(Input):
    """Which file, as of when, and which of its lines."""

    file: RepoPath = Field(description="A file from the repository's root.")
    revision: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="As a commit, branch or tag has it; else as it is in the work tree.",
    )
    start: Integer = Field(default=1, ge=1, description="The first line to return.")
    limit: Integer = count_field(_SHOWN, LIMITS.source_lines, "How many lines to return at most.")


class OutlineEntry(Output):
    """A named thing of the file."""

    name: UntrustedText
    kind: str = Field(description="Such as Function, Method or Class.")
    depth: int = Field(description="How many named things are around it.")
    start_line: int
    end_line: int


class SourceLines(Output):
    """Lines of a file."""

    file: UntrustedText
    revision: str | None = Field(description="The id of the commit; null for the work tree.")
    language: str | None = Field(description="Null where it is none that is parsed: its text comes plain.")
    bytes: int | None = Field(description="Null where the file is larger than what is looked at.")
    digest: str | None = Field(description="Of the whole content: the same on pages of the same text.")
    unshown: Unshown | None = Field(description="Why there are no lines, if so.")
    total_lines: int
    start: int
    lines: list[list[tuple[Colour, UntrustedText]]] = Field(
        description="Each line as pieces in order: what it is, empty for plain text, and its text."
    )
    cut: bool = Field(
        description="Whether lines follow after these, or one of them was too long to show whole."
    )
    outline: list[OutlineEntry] | None = Field(
        description="In the order of the text; null on pages that do not begin with the first line."
    )


def _words(result: SourceLines) -> str:
    if result.unshown is not None:
        return f"{result.file} is {result.unshown}."
    texts = ("".join(text for _, text in line) for line in result.lines)
    numbered = [f"{number:>6}  {text}" for number, text in enumerate(texts, result.start)]
    last = result.start + len(numbered) - 1
    more = [f"… {result.total_lines} lines in all"] if last < result.total_lines else []
    return "\n".join([*numbered, *more]) or "No lines."


def _content(room: Source, path: RepoPath, revision: str | None) -> tuple[bytes | None, str | None]:
    """Return the bytes of a file, none where they are too many, and the commit that they are of."""
    commit = None if revision is None else room.git.resolve(f"{revision}^{{commit}}")
    try:
        if commit is None:
            room.refuse_ignored(path)
            return room.tree.read_bytes(path, LIMITS.source_file_bytes), None
        found = room.git.objects().read(f"{commit}:{path.text}", LIMITS.source_file_bytes)
    except TooLarge:
        return None, commit
    if found is None or found.kind != "blob":
        raise NotFound(
            f"{commit} has no file '{path.text}'.", hint="Name a file that it has.", path=path.text
        )
    return found.data, commit


def _page(room: Source, args: ReadSource, digest: str, text: str) -> dict[str, Any]:
    """Return a page of the text, of so many characters at most; a line that is longer is cut."""
    colouring = room.colouring(args.file.text, digest, text)
    lines: list[list[tuple[Colour, str]]] = []
    room_left, is_cut = LIMITS.source_page_characters, False
    for pieces in colouring.lines(args.start):
        length = sum(len(piece) for _, piece in pieces)
        if len(lines) == args.limit or (lines and length > room_left):
            break
        while pieces and length > LIMITS.source_line_characters:
            is_cut, colour, last = True, *pieces.pop()
            length -= len(last)
            if length < LIMITS.source_line_characters:
                pieces.append((colour, last[: LIMITS.source_line_characters - length]))
                break
        lines.append(pieces)
        room_left -= length
    following = args.start + len(lines) <= colouring.total
    return {"lines": lines, "total_lines": colouring.total, "cut": is_cut or following}


def _outline(known: Facts) -> list[OutlineEntry]:
    return [
        OutlineEntry(
            name=symbol.name,
            kind=symbol.kind,
            depth=len(symbol.path) - 1,
            start_line=symbol.start_line,
            end_line=symbol.end_line,
        )
        for symbol in known.symbols[: LIMITS.source_symbols]
    ]


def typed_file(room: Source, given: dict[str, Any]) -> dict[str, Any]:
    """Count the file that a person types from the current directory."""
    typed = given.get("file")
    return given if typed is None else given | {"file": typed_path(room.repository.root, typed)}


@source.operation(
    "read_source",
    title="Read a file",
    effect=Effect.READ,
    command="read",
    positional=("file",),
    example="holdfast source read src/main.py --start 40 --limit 20",
    listed=False,
    text=_words,
    fill_in=typed_file,
)
def read_source(room: Source, args: ReadSource) -> SourceLines:
    """Read lines of a file, as pieces that say which of them are keywords, strings, comments and names.

    Long files come in pages. The outline has the symbols of the file.
    """
    from holdfast.syntax.facts import Facts, facts  # which a server needs for no other first call

    data, commit = _content(room, args.file, args.revision)
    unshown: Unshown | None = "too large" if data is None else "binary" if is_binary(data) else None
    digest = None if data is None else sha1(data, usedforsecurity=False).hexdigest()
    page: dict[str, Any] = {"lines": [], "total_lines": 0, "cut": False}
    known = Facts(None)
    if data is not None and digest is not None and unshown is None:
        text = data.decode("utf-8", "replace")
        page, known = _page(room, args, digest, text), facts(args.file.text, text)
    return SourceLines(
        **page,
        file=args.file.text,
        revision=commit,
        language=None if known.language is None else known.language.name,
        bytes=None if data is None else len(data),
        digest=digest,
        unshown=unshown,
        start=args.start,
        outline=_outline(known) if args.start == 1 else None,
    )
