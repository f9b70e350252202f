"""Prompts that a person can select in a client, filled with code and comments of the workspace."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from holdfast.comments import prompt_text as texts
from holdfast.comments.anchors.orphans import candidates, uncertain_comments
from holdfast.comments.anchors.snippets import is_text, lines_of_file, numbered
from holdfast.comments.errors import InvalidFilePath
from holdfast.comments.export.formats import fenced
from holdfast.comments.models import FilePath
from holdfast.comments.orphan_description import describe_orphan
from holdfast.comments.resources import commented
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import TAGS, UNTAGGED, line_label
from holdfast.comments.toolset import comments
from holdfast.kernel.errors import HoldfastError, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.kernel.prompt import PromptMessage
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import visible
from holdfast.storage.watching.listing import Listing
from holdfast.syntax.languages import language_of

if TYPE_CHECKING:
    from holdfast.syntax.complexity import FunctionDecisions
    from holdfast.syntax.record import FunctionMetrics


Focus = Literal["security", "performance", "maintainability", "all"]
FOCUSES: tuple[Focus, ...] = ("security", "performance", "maintainability", "all")

_MAX_ORPHANS = 20
_MAX_PLACES = 100
_MAX_DECISIONS = 40
_MAX_SIMPLE = 5
KNOWN_TAGS = (*TAGS, "HACK", "WARNING")
OTHER = "of other tags or none"


def _spelled(value: Any) -> Any:
    """Normalize spaces and case: every argument of a prompt is typed by a person."""
    return value.strip().lower() if isinstance(value, str) else value


class ReviewCode(Input):
    """Which file to review, and the focus of the review."""

    file_path: FilePath = Field(alias="filePath", description="File to review")
    focus: Annotated[Focus, BeforeValidator(_spelled)] = Field(
        default="all", description="Review focus area: security, performance, maintainability or all."
    )


class ExplainComplexity(Input):
    """Which file to explain, and the lowest complexity."""

    file_path: FilePath = Field(alias="filePath", description="File to analyze")
    complexity_threshold: Annotated[int, BeforeValidator(_spelled)] = Field(
        default=10, ge=1, le=1000, alias="complexityThreshold", description="Cyclomatic complexity threshold"
    )


class TrainingExport(Input):
    """Whether to include the code around comments."""

    include_context: Annotated[bool, BeforeValidator(_spelled)] = Field(
        default=True, alias="includeContext", description="Include code context around comments"
    )


class FixOrphans(Input):
    """Which file's comments to fix."""

    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="File with orphaned comments (omit for all files)"
    )


def _sources(room: Comments, typed: str) -> Iterable[str]:
    """Return the source files whose paths start with `typed`."""
    listing = Listing(room.repository, lambda name: language_of(name) is not None)
    return (path for path in listing.paths() if path.startswith(typed))


def _one_of(*choices: str) -> Callable[[Comments, str], Iterable[str]]:
    """Complete an argument to one of some choices."""
    return lambda _, typed: (choice for choice in choices if choice.startswith(_spelled(typed)))


@comments.prompt(
    "review_code",
    title="Review code",
    specified=True,
    specified_description="Review code and suggest TODO/FIXME comments for improvements",
    complete={"filePath": _sources, "focus": _one_of(*FOCUSES)},
)
def review_code(room: Comments, args: ReviewCode) -> list[PromptMessage]:
    """Review code and suggest TODO/FIXME comments for improvements."""
    path = source_path(args.file_path).text
    text = _source(room, path)
    focus, language = texts.REVIEWS[args.focus], language_of(path, text)
    parts = [
        f"Review this code for {focus.subject} and suggest TODO/FIXME comments:",
        fenced(text, "" if language is None else language.fence),
        texts.STEPS.format(concern=focus.concern),
        "Focus on:\n" + "\n".join(f"- {item}" for item in focus.points),
        _places(path, text),
        *_already_noted(room, path),
        texts.RECORD.format(path=visible(path)),
        texts.CODE_IS_DATA,
    ]
    return [PromptMessage("\n\n".join(parts))]


def _places(path: str, text: str) -> str:
    """Return the line ranges of functions and types, so that the model need not count lines."""
    from holdfast.syntax.facts import facts

    count = len(lines_of_file(text))
    listed = [symbol for symbol in facts(path, text).symbols if symbol.is_function or symbol.is_type]
    if not listed:
        return texts.LENGTH.format(count=count)
    lines = [texts.PLACES.format(count=count)]
    for symbol in listed[:_MAX_PLACES]:
        name = visible(".".join(symbol.path))
        lines.append(f"- {_span(symbol.start_line, symbol.end_line)}: {symbol.kind.lower()} {name}")
    if len(listed) > _MAX_PLACES:
        lines.append(f"- and {len(listed) - _MAX_PLACES} more")
    return "\n".join(lines)


def _span(start: int, end: int) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


@comments.prompt(
    "explain_complexity",
    title="Explain complex code",
    specified=True,
    specified_description="Add NOTE comments explaining complex functions/algorithms",
    complete={"filePath": _sources, "complexityThreshold": _one_of("5", "10", "15", "20")},
)
def explain_complexity(room: Comments, args: ExplainComplexity) -> list[PromptMessage]:
    """Add NOTE comments explaining complex functions/algorithms."""
    path = source_path(args.file_path).text
    text = _source(room, path)
    language = language_of(path, text)
    if language is None:
        whole = fenced(numbered(lines_of_file(text), 1), "")
        parts = [texts.NO_MEASURE.format(path=visible(path)), whole]
        return [PromptMessage("\n\n".join([*parts, *_explaining(room, path)]))]
    from holdfast.syntax.complexity import measure_functions
    from holdfast.syntax.parse import parse

    functions = sorted(
        measure_functions(parse(language, text)), key=lambda one: (-one.metrics.extended, one.start_line)
    )
    found = [one for one in functions if one.metrics.extended >= args.complexity_threshold]
    if not found:
        return [PromptMessage(_nothing_complex(path, functions, args.complexity_threshold))]
    head = texts.COMPLEX.format(
        path=visible(path),
        threshold=args.complexity_threshold,
        count=len(found),
        all=len(functions),
        have="has" if len(found) == 1 else "have",
    )
    shown = []
    for one in found:
        lines = lines_of_file(text)[one.start_line - 1 : one.metrics.end_line]
        body = fenced(numbered(list(map(visible, lines)), one.start_line), language.fence)
        shown.append(f"{_measured(one)}\n{_figures(one.metrics)}\n\n{body}")
    return [PromptMessage("\n\n".join([head, *shown, *_explaining(room, path)]))]


def _nothing_complex(path: str, functions: Sequence[FunctionDecisions], threshold: int) -> str:
    if not functions:
        return texts.NO_FUNCTIONS.format(path=visible(path))
    most = "\n".join(f"- {_measured(one)}" for one in functions[:_MAX_SIMPLE])
    return texts.NOTHING_COMPLEX.format(
        path=visible(path), threshold=threshold, all=len(functions), most=most
    )


def _measured(one: FunctionDecisions) -> str:
    """Describe a function: its lines, its complexity, and where it branches."""
    name, span = visible(one.metrics.name), _span(one.start_line, one.metrics.end_line)
    places = ", ".join(map(str, one.decision_lines[:_MAX_DECISIONS]))
    more = " and more" if len(one.decision_lines) > _MAX_DECISIONS else ""
    decides = f"; it branches at line {places}{more}" if places else ""
    return f"{name} ({span}, complexity {one.metrics.extended}{decides})"


def _figures(metrics: FunctionMetrics) -> str:
    """Format the other metrics of a function."""
    recursive = ", including its recursion" if metrics.recursive else ""
    return (
        f"Statements alone: {metrics.cyclomatic}. Cognitive complexity: {metrics.cognitive}{recursive}."
        f" Nesting: {metrics.nesting}. Halstead: difficulty {metrics.difficulty:.1f},"
        f" volume {metrics.volume:.0f}, effort {metrics.effort:.0f}."
    )


def _explaining(room: Comments, path: str) -> list[str]:
    return [texts.EXPLAIN.format(path=visible(path)), *_already_noted(room, path), texts.CODE_IS_DATA]


@comments.prompt(
    "training_export",
    title="Export training data",
    specified=True,
    specified_description="Export workspace comments as AI training data (JSONL format)",
    complete={"includeContext": _one_of("true", "false")},
)
def training_export(room: Comments, args: TrainingExport) -> list[PromptMessage]:
    """Export workspace comments as AI training data (JSONL format)."""
    total = room.search.find(CommentQuery(limit=1)).total
    if not total:
        return [PromptMessage(texts.NOTHING_TO_EXPORT)]
    return [
        PromptMessage(
            texts.TRAINING.format(
                total=total,
                counts=_counts(room, total),
                meaning=texts.WITH if args.include_context else texts.WITHOUT,
                call=texts.CALL_WITH_CONTEXT if args.include_context else texts.CALL,
                option=" --context 5" if args.include_context else "",
            )
        )
    ]


def _counts(room: Comments, total: int) -> str:
    """Return the number of comments with each tag, and of those with AI metadata."""
    tags = {tag: room.search.find(CommentQuery(tag=tag, limit=1)).total for tag in KNOWN_TAGS}
    tags[OTHER] = total - sum(tags.values())
    counted = ", ".join(f"{count} {tag}" for tag, count in tags.items() if count)
    models = room.search.find(CommentQuery(has_ai=True, limit=1)).total
    return f": {counted}; {models} with AI metadata"


@comments.prompt(
    "fix_orphans",
    title="Fix orphaned comments",
    specified=True,
    specified_description="Analyze orphaned comments and suggest new anchor locations",
    complete={"filePath": commented},
)
def fix_orphans(room: Comments, args: FixOrphans) -> list[PromptMessage]:
    """Analyze orphaned comments and suggest new anchor locations."""
    path = None if args.file_path is None else source_path(args.file_path).text
    if path is not None:
        room.load(path)  # raises if the file neither exists nor has comments
    total, found, _ = uncertain_comments(room, None if path is None else _exactly(path), _MAX_ORPHANS)
    where = "this workspace" if path is None else visible(path)
    if not found:
        return [PromptMessage(texts.NO_ORPHANS.format(where=where))]
    boundary = f"orphans-{secrets.token_hex(8)}"
    offers = candidates(room, found)
    orphans = "\n\n".join(
        describe_orphan(room, number, *item, offers) for number, item in enumerate(found, 1)
    )
    rest = "" if total <= len(found) else texts.MORE_ORPHANS.format(shown=len(found), total=total)
    text = texts.ORPHANS.format(where=where, boundary=boundary, orphans=orphans, rest=rest)
    return [PromptMessage(text)]


def _exactly(path: str) -> str:
    """Return a pattern that matches exactly one path."""
    return "".join(f"\\{letter}" if letter in "*?[\\" else letter for letter in path)


def _source(room: Comments, path: str) -> str:
    text = room.text_of(path)
    if len(text) > LIMITS.prompt_source_characters:
        raise TooLarge(
            f"'{path}' is longer than {LIMITS.prompt_source_characters} characters.",
            hint="Choose a smaller file; a prompt contains all of it.",
            path=path,
        )
    if not is_text(text):
        raise InvalidFilePath(path, "it is not a text file", "Name a file of source text")
    return visible(text).rstrip("\n")


def _already_noted(room: Comments, path: str) -> list[str]:
    """Return the comments on the file, so that they are not suggested again."""
    try:
        notes = sorted(room.load(path).comments, key=lambda note: (note.line, note.alias))
    except HoldfastError:
        return []  # an unreadable sidecar does not prevent a review
    if not notes:
        return []
    lines = [
        f"- {line_label(note.line, note.end_line)} ({_state(note)}): {shorten(one_line(note.text), 200)}"
        for note in notes
    ]
    return ["Comments on this file:\n" + "\n".join(lines)]


def _state(note: Note) -> str:
    states = ("" if note.status == "open" else note.status, "orphaned" if note.orphaned else "")
    return ", ".join(filter(None, (visible(note.tag or UNTAGGED), *states)))
