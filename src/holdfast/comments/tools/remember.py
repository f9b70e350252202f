"""`remember`: write a memory about code, a folder or the whole repository."""

from __future__ import annotations

from typing import Any

from pydantic import Field, StrictBool

from holdfast.comments.errors import DOMAIN
from holdfast.comments.memory import ranking
from holdfast.comments.memory.imports import memories_in
from holdfast.comments.memory.memory_writer import MemoryWriter
from holdfast.comments.memory.recollection import find_memory
from holdfast.comments.memory.results import MemoryFacts, memory_text
from holdfast.comments.memory.subject import Subject, find_subject, resolve_typed
from holdfast.comments.memory.word_index import words_of
from holdfast.comments.models import WORKSPACE_SECONDS, Author, CommentText
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.errors import Conflict, Invalid, InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted, one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.repo_path import RepoPath, typed_path

_MIN_SHARED_WORDS = 0.8
"""The share of words (Jaccard similarity) from which on two memories say nearly the same. A judgement: of ten
words one may differ; a negation alone is not told apart, so the caller decides."""


class Remember(Input):
    """A memory to write, or a file of them."""

    text: CommentText | None = Field(default=None, description="What to remember, in one or a few sentences.")
    about: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="PATH, PATH:LINES such as src/app.py:10-20, PATH:SYMBOL or SYMBOL; "
        "by default the whole repository.",
    )
    author: Author = Field(default=None, description="Who says it.")
    anyway: StrictBool = Field(default=False, description="Write it though a memory says nearly the same.")
    import_file: str | None = Field(
        default=None,
        alias="import",
        min_length=1,
        max_length=LIMITS.path_characters,
        description="A file of the repository with a Markdown list, or with beads' export of memories.",
    )


class Remembered(Output):
    """What was written."""

    memory: MemoryFacts | None = optional("The memory, if it is a single one.")
    written: int = Field(description="How many memories were written.")
    known: list[UntrustedText] = Field(
        default_factory=list, description="Of an import: what was left out, as a memory says nearly the same."
    )


def _render(result: Remembered) -> str:
    if result.memory is not None:
        return f"Remembered.\n{memory_text(result.memory)}"
    known = [f"  {one_line(shorten(text, 100))}" for text in result.known]
    head = f"{counted(result.written, 'memory', 'memories')} written"
    return "\n".join([f"{head}, {len(known)} known already{':' if known else '.'}", *known])


def _fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
    paths = {"about": resolve_typed(room, given.get("about"))}
    if isinstance(given.get("import"), str):
        paths["import"] = typed_path(room.repository.root, given["import"])
    return given | {name: value for name, value in paths.items() if value is not None}


@comments.operation(
    "remember",
    title="Remember a fact",
    effect=Effect.WRITE,
    command="remember",
    shortcut="remember",
    positional=("text",),
    example='holdfast remember "Tokens are refreshed by the middleware" --about src/app.ts',
    seconds=WORKSPACE_SECONDS,
    text=_render,
    fill_in=_fill_in,
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT,
    listed=False,
)
def remember(room: Comments, args: Remember) -> Remembered:
    """Remember a fact about a symbol, some lines, a file, a folder or the whole repository.

    `recall` finds it again and says what became of the code meanwhile. It is stored beside the code and
    committed with it. A memory that says nearly the same is named instead; `anyway` writes it all the same.
    """
    if (args.text is None) == (args.import_file is None):
        raise InvalidArguments("Nothing to remember.", hint="Pass either `text` or `import`.")
    author, subject = arguments.author_name(room, args.author), find_subject(room, args.about)
    if args.text is not None:
        if not args.anyway and (known := _find_similar(room, args.text)) is not None:
            raise _known_error(room, known)
        name = MemoryWriter(room).add(subject, args.text, author)
        return Remembered(memory=MemoryFacts.of(find_memory(room, name)), written=1)
    return _import(room, str(args.import_file), subject, author, anyway=args.anyway)


def _import(room: Comments, file: str, subject: Subject, author: str, *, anyway: bool) -> Remembered:
    data = room.tree.read_bytes(RepoPath.parse(file), LIMITS.import_file_bytes)
    try:
        texts = list(memories_in(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise Invalid(f"'{file}' is not UTF-8 text.", hint="Save it as UTF-8.") from None
    if not texts:
        raise Invalid(
            f"'{file}' has no memories.",
            hint="They are the items of a Markdown list, or beads' memory records.",
        )
    written, known = 0, []
    for text in texts:
        if len(text) > LIMITS.comment_characters or (not anyway and _find_similar(room, text) is not None):
            known.append(text)
        else:
            MemoryWriter(room).add(subject, text, author)
            written += 1
    return Remembered(written=written, known=known)


def _find_similar(room: Comments, text: str) -> str | None:
    """Return the id of a memory that says nearly the same."""
    words = frozenset(words_of(text))
    for hit, others in room.search.read(lambda connection: ranking.similar(connection, text)) or ():
        if words and len(words & others) >= _MIN_SHARED_WORDS * len(words | others):
            return hit.name
    return None


def _known_error(room: Comments, name: str) -> Conflict:
    found = find_memory(room, name)
    return Conflict(
        f"The memory {name} says nearly the same: '{one_line(shorten(found.note.text, 200))}'",
        hint="Confirm or correct that one, or pass `anyway` to write this one as well.",
        domain=DOMAIN,
        id=name,
    )
