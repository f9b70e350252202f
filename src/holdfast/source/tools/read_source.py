"""`read_source`: the lines of a file with syntax highlighting, and its outline."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, StrictBool

from holdfast.kernel.errors import TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.room import Source, resolve_typed
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.binary_content import is_binary
from holdfast.syntax.highlighting import TokenStyle

if TYPE_CHECKING:
    from holdfast.syntax.facts import Facts

Unshown = Literal["binary", "too large"]

_DEFAULT_LINES = 2000
"""Lines that are returned by default. A judgement: more than nearly all files have."""


class ReadSource(Input):
    """A file, a revision, and a range of lines."""

    file: RepoPath = Field(description="A file, relative to the repository's root.")
    revision: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="A commit, branch or tag; by default the work tree.",
    )
    start: Integer = Field(default=1, ge=1, description="The first line to return.")
    limit: Integer = count_field(_DEFAULT_LINES, LIMITS.source_lines, "How many lines to return at most.")
    highlight: StrictBool = Field(
        default=False, description="Split lines into highlighted pieces: keywords, strings, comments, names."
    )


class OutlineEntry(Output):
    """A symbol of the file."""

    name: UntrustedText
    kind: str = Field(description="The kind of symbol, such as Function, Method or Class.")
    depth: int = Field(description="How many symbols enclose it.")
    start_line: int
    end_line: int


class SourceLines(Output):
    """Lines of a file."""

    file: UntrustedText
    revision: str | None = Field(description="The id of the commit; null for the work tree.")
    language: str | None = Field(
        description="The detected language; null if it is not supported, then the text is plain."
    )
    bytes: int | None = Field(description="The size of the file; null if it is too large to be read.")
    digest: str | None = Field(
        description="A hash of the whole content, to check that pages belong to the same text."
    )
    unshown: Unshown | None = Field(description="Why no lines are returned, if so.")
    total_lines: int
    start: int
    lines: list[list[tuple[TokenStyle, UntrustedText]]] = Field(
        description="Each line as pieces in order: their style, empty for plain text, and their text. Without"
        " `highlight`, a line is one piece."
    )
    cut: bool = Field(description="Whether more lines follow, or one of these was truncated.")
    outline: list[OutlineEntry] | None = Field(
        description="The symbols in source order; null on pages that do not begin with the first line."
    )


def _render(result: SourceLines) -> str:
    if result.unshown is not None:
        return f"{result.file} is {result.unshown}."
    texts = ("".join(text for _, text in line) for line in result.lines)
    numbered = [f"{number:>6}  {text}" for number, text in enumerate(texts, result.start)]
    last = result.start + len(numbered) - 1
    more = [f"… {result.total_lines} lines in all"] if last < result.total_lines else []
    return "\n".join([*numbered, *more]) or "No lines."


def _page(room: Source, args: ReadSource, digest: str, text: str) -> dict[str, Any]:
    """Return the fields of `SourceLines` for one page; pages and lines are limited in characters."""
    highlighted = room.highlighted(args.file.text, digest, text)
    lines: list[list[tuple[TokenStyle, str]]] = []
    characters_left, is_cut = LIMITS.source_page_characters, False
    for pieces in highlighted.lines(args.start):
        length = sum(len(piece) for _, piece in pieces)
        if len(lines) == args.limit or (lines and length > characters_left):
            break
        while pieces and length > LIMITS.source_line_characters:
            is_cut = True
            style, last = pieces.pop()
            length -= len(last)
            if length < LIMITS.source_line_characters:
                pieces.append((style, last[: LIMITS.source_line_characters - length]))
                break
        lines.append(pieces if args.highlight else _merged(pieces))
        characters_left -= length
    has_more = args.start + len(lines) <= highlighted.line_count
    return {"lines": lines, "total_lines": highlighted.line_count, "cut": is_cut or has_more}


def _merged(pieces: list[tuple[TokenStyle, str]]) -> list[tuple[TokenStyle, str]]:
    return [("", "".join(text for _, text in pieces))] if pieces else []


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


@source.operation(
    "read_source",
    title="Read a file",
    effect=Effect.READ,
    command="read",
    positional=("file",),
    example="holdfast source read src/main.py --start 40 --limit 20",
    listed=False,
    text=_render,
    fill_in=resolve_typed("file"),
)
def read_source(room: Source, args: ReadSource) -> SourceLines:
    """Read lines of a file, highlighted on request.

    Long files are returned in pages. The outline lists the symbols of the file.
    """
    from holdfast.syntax.facts import Facts, facts  # loaded late: a server needs it for few calls

    commit = room.commit(args.revision)
    data: bytes | None = None
    unshown: Unshown | None = None
    try:
        data = room.content(args.file, commit)
        if is_binary(data):
            unshown = "binary"
    except TooLarge:
        unshown = "too large"
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
