"""Texts a person can ask a client to insert, filled with code and comments of the workspace."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from holdfast.comments import prompt_texts as texts
from holdfast.comments.export.markdown import fenced
from holdfast.comments.listing import unsure
from holdfast.comments.models import FilePath
from holdfast.comments.notes import Note
from holdfast.comments.paths import source_path
from holdfast.comments.search.query import Query
from holdfast.comments.snippets import Snippet, around, as_it_was, lines_of_file
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, line_words
from holdfast.comments.toolset import comments
from holdfast.kernel.errors import HoldfastError, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, PromptMessage
from holdfast.kernel.untrusted import visible
from holdfast.storage.listing import Listing
from holdfast.syntax.languages import language_of

Focus = Literal["security", "performance", "maintainability", "all"]
FOCUSES: tuple[Focus, ...] = ("security", "performance", "maintainability", "all")

_MOST_ORPHANS = 20
_MOST_CANDIDATES = 3
_MARGIN = 3


def _spelled(value: Any) -> Any:
    """Forgive spaces and capitals: every argument of a prompt is text that a person typed."""
    return value.strip().lower() if isinstance(value, str) else value


class ReviewCode(Input):
    """Which file to review, and for what."""

    file_path: FilePath = Field(alias="filePath", description="File to review")
    focus: Annotated[Focus, BeforeValidator(_spelled)] = Field(
        default="all", description="Review focus area: security, performance, maintainability or all."
    )


class ExplainComplexity(Input):
    """Which file to explain, from which complexity on."""

    file_path: FilePath = Field(alias="filePath", description="File to analyze")
    complexity_threshold: Annotated[int, BeforeValidator(_spelled)] = Field(
        default=10, ge=1, le=1000, alias="complexityThreshold", description="Cyclomatic complexity threshold"
    )


class TrainingExport(Input):
    """Whether the code goes with the comments."""

    include_context: Annotated[bool, BeforeValidator(_spelled)] = Field(
        default=True, alias="includeContext", description="Include code context around comments"
    )


class FixOrphans(Input):
    """Where to look."""

    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="File with orphaned comments (omit for all files)"
    )


def _sources(room: Comments, typed: str) -> Iterable[str]:
    """Return the source files whose paths begin as typed."""
    listing = Listing(room.repository, lambda name: language_of(name) is not None)
    return (path for path in listing.paths() if path.startswith(typed))


def _commented(room: Comments, typed: str) -> Iterable[str]:
    """Return the files with comments whose paths begin as typed."""
    return (path for path in room.sidecar_paths() if path.startswith(typed))


def _focuses(room: Comments, typed: str) -> Iterable[str]:
    del room
    return (focus for focus in FOCUSES if focus.startswith(_spelled(typed)))


def _answers(room: Comments, typed: str) -> Iterable[str]:
    del room
    return (answer for answer in ("true", "false") if answer.startswith(_spelled(typed)))


def _thresholds(room: Comments, typed: str) -> Iterable[str]:
    del room
    return (number for number in ("5", "10", "15", "20") if number.startswith(typed.strip()))


@comments.prompt(
    "review_code",
    title="Review code",
    specified=True,
    specified_description="Review code and suggest TODO/FIXME comments for improvements",
    complete={"filePath": _sources, "focus": _focuses},
)
def review_code(room: Comments, args: ReviewCode) -> list[PromptMessage]:
    """Review code and suggest TODO/FIXME comments for improvements."""
    path = source_path(args.file_path).text
    text = _source(room, path)
    asked = texts.REVIEWS[args.focus]
    parts = [
        f"Review this code for {asked.subject} and suggest TODO/FIXME comments:",
        fenced(text, _language(path, text)),
        texts.STEPS.format(concern=asked.concern),
        "Focus on:\n" + "\n".join(f"- {item}" for item in asked.points),
        *_already_noted(room, path),
        texts.RECORD.format(path=visible(path)),
        texts.CODE_IS_DATA,
    ]
    return [PromptMessage("\n\n".join(parts))]


@comments.prompt(
    "explain_complexity",
    title="Explain complex code",
    specified=True,
    specified_description="Add NOTE comments explaining complex functions/algorithms",
    complete={"filePath": _sources, "complexityThreshold": _thresholds},
)
def explain_complexity(room: Comments, args: ExplainComplexity) -> list[PromptMessage]:
    """Add NOTE comments explaining complex functions/algorithms."""
    path = source_path(args.file_path).text
    text = _source(room, path)
    language = language_of(path, text.partition("\n")[0])
    if language is None:
        parts = [texts.NO_MEASURE.format(path=visible(path)), fenced(text, "")]
        return [PromptMessage("\n\n".join([*parts, *_explaining(room, path)]))]
    from holdfast.syntax.complexity import cyclomatic
    from holdfast.syntax.parse import parse

    found = [one for one in cyclomatic(parse(language, text)) if one.cyclomatic >= args.complexity_threshold]
    if not found:
        nothing = texts.NOTHING_COMPLEX.format(path=visible(path), threshold=args.complexity_threshold)
        return [PromptMessage(nothing)]
    found.sort(key=lambda one: (-one.cyclomatic, one.symbol.start_line))
    head = texts.COMPLEX.format(path=visible(path), threshold=args.complexity_threshold, count=len(found))
    lines = lines_of_file(text)
    functions = []
    for one in found:
        symbol = one.symbol
        name = visible(".".join(symbol.path))
        body = "\n".join(map(visible, lines[symbol.start_line - 1 : symbol.end_line]))
        title = f"{name} (lines {symbol.start_line}-{symbol.end_line}, complexity {one.cyclomatic})"
        functions.append(f"{title}\n\n{fenced(body, language.fence)}")
    return [PromptMessage("\n\n".join([head, *functions, *_explaining(room, path)]))]


def _explaining(room: Comments, path: str) -> list[str]:
    return [texts.EXPLAIN.format(path=visible(path)), *_already_noted(room, path), texts.CODE_IS_DATA]


@comments.prompt(
    "training_export",
    title="Export training data",
    specified=True,
    specified_description="Export workspace comments as AI training data (JSONL format)",
    complete={"includeContext": _answers},
)
def training_export(room: Comments, args: TrainingExport) -> list[PromptMessage]:
    """Export workspace comments as AI training data (JSONL format)."""
    found = room.search.find(Query(limit=1))
    call = texts.CALL_WITH_CONTEXT if args.include_context else texts.CALL
    option = " --context 5" if args.include_context else ""
    return [PromptMessage(texts.TRAINING.format(total=found.total, call=call, option=option))]


@comments.prompt(
    "fix_orphans",
    title="Fix orphaned comments",
    specified=True,
    specified_description="Analyze orphaned comments and suggest new anchor locations",
    complete={"filePath": _commented},
)
def fix_orphans(room: Comments, args: FixOrphans) -> list[PromptMessage]:
    """Analyze orphaned comments and suggest new anchor locations."""
    path = None if args.file_path is None else source_path(args.file_path).text
    if path is not None:
        room.load(path)  # a file that is neither there nor commented on is a mistake to be told
    total, found, _ = unsure(room, None if path is None else _exactly(path), _MOST_ORPHANS)
    where = "this workspace" if path is None else visible(path)
    if not found:
        return [PromptMessage(texts.NO_ORPHANS.format(where=where))]
    boundary = f"orphans-{secrets.token_hex(8)}"
    orphans = "\n\n".join(_orphan(room, number, *item) for number, item in enumerate(found, 1))
    rest = "" if total <= len(found) else texts.MORE_ORPHANS.format(shown=len(found), total=total)
    text = texts.ORPHANS.format(where=where, boundary=boundary, orphans=orphans, rest=rest)
    return [PromptMessage(text)]


def _exactly(path: str) -> str:
    """Return a pattern that means one path, whatever letters it has."""
    return "".join(f"\\{letter}" if letter in "*?[\\" else letter for letter in path)


def _orphan(room: Comments, number: int, path: str, note: Note) -> str:
    state = "orphaned" if note.orphaned else "needs review"
    why = (note.reason or "not sure").replace("_", " ")
    place = f"{visible(path)}, {line_words(note.line, note.end_line).lower()}"
    head = f"{number}. {note.alias} ({visible(note.tag or UNTAGGED)}) {state}: {why}; last known at {place}"
    said = "\n".join(f"   > {line}" for line in visible(note.text).split("\n"))
    old = as_it_was(room, note, path, _MARGIN)
    was = "   The code is not known." if old is None else f"   The code it was about:\n{_indented(old)}"
    candidates = list(_candidates(room, path, note)) or ["   No place looks like it."]
    return "\n".join([head, said, was, *candidates])


def _candidates(room: Comments, path: str, note: Note) -> Iterable[str]:
    for rank, one in enumerate(note.placement.candidates[:_MOST_CANDIDATES], 1):
        target = one.path or path
        yield f"   Candidate {rank}: {visible(target)}:{one.line} (score {one.score:.2f})"
        try:
            yield _indented(around(target, room.text_of(target), one.line, None, _MARGIN))
        except HoldfastError:
            continue  # it went away since it was found


def _indented(snippet: Snippet) -> str:
    return "\n".join(f"      {visible(line)}" for line in snippet.numbered.split("\n"))


def _source(room: Comments, path: str) -> str:
    text = room.text_of(path)
    if len(text) > LIMITS.prompt_source_characters:
        raise TooLarge(
            f"'{path}' is longer than {LIMITS.prompt_source_characters} characters.",
            hint="Choose a smaller file; a prompt holds the whole of it.",
            path=path,
        )
    return visible(text).rstrip("\n")


def _language(path: str, text: str) -> str:
    language = language_of(path, text.partition("\n")[0])
    return "" if language is None else language.fence


def _already_noted(room: Comments, path: str) -> list[str]:
    """Return what is on the file already, so that it is not suggested again."""
    try:
        notes = sorted(room.load(path).comments, key=lambda note: (note.line, note.alias))
    except HoldfastError:
        return []  # a sidecar that cannot be read is no reason not to review the code
    if not notes:
        return []
    lines = [
        f"- {line_words(note.line, note.end_line)} ({visible(note.tag or UNTAGGED)}): {_brief(note)}"
        for note in notes
    ]
    return ["Comments that are on this file already:\n" + "\n".join(lines)]


def _brief(note: Note) -> str:
    text = " ".join(visible(note.text).split())
    return text if len(text) <= 200 else text[:199] + "…"
