"""The prompts for comments, which a person selects in a client.

Each function reads code and comments of the workspace and puts them into the texts of `prompt_text`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from holdfast.comments import prompt_text as texts
from holdfast.comments.anchors.orphans import find_candidates
from holdfast.comments.anchors.snippets import is_text, lines_of_file, number_lines
from holdfast.comments.anchors.uncertain import uncertain_comments
from holdfast.comments.errors import InvalidFilePath
from holdfast.comments.export.formats import fence_code
from holdfast.comments.models import FilePath
from holdfast.comments.orphan_description import describe_orphan
from holdfast.comments.resources import complete_commented_path
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import KNOWN_TAGS, Note
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, line_label
from holdfast.comments.toolset import comments
from holdfast.kernel.errors import HoldfastError, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.kernel.prompt import PromptMessage
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.globs import escape_path
from holdfast.storage.watching.listing import Listing
from holdfast.syntax.languages import language_of

if TYPE_CHECKING:
    from holdfast.syntax.complexity import FunctionDecisions
    from holdfast.syntax.record import FunctionMetrics


Focus = Literal["security", "performance", "maintainability", "all"]

_MAX_ORPHANS_LISTED = 20
"""Comments in one `fix_orphans` prompt. A judgement: as many as a model can work through in one turn."""

_MAX_SYMBOLS_LISTED = 100
"""Symbols in a `review_code` prompt. A judgement: more than most files have."""

_MAX_BRANCH_LINES_LISTED = 40
"""Line numbers of branches listed for one function. A judgement: more would fill several lines."""

_MAX_SIMPLE_FUNCTIONS_LISTED = 5
"""Functions listed if none reaches the threshold. A judgement: enough to choose a lower threshold."""

_MAX_NOTE_CHARACTERS = 200
"""Characters of an existing comment in a prompt. A judgement: enough to avoid repeating it."""


def _normalize_spelling(value: Any) -> Any:
    """Strip spaces and lower the case of an argument, because a person types it."""
    return value.strip().lower() if isinstance(value, str) else value


class ReviewCode(Input):
    """Which file to review, and the focus of the review."""

    file_path: FilePath = Field(alias="filePath", description="File to review")
    focus: Annotated[Focus, BeforeValidator(_normalize_spelling)] = Field(
        default="all", description="Review focus area: security, performance, maintainability or all."
    )


class ExplainComplexity(Input):
    """Which file to explain, and the lowest complexity."""

    file_path: FilePath = Field(alias="filePath", description="File to analyze")
    complexity_threshold: Annotated[int, BeforeValidator(_normalize_spelling)] = Field(
        default=10, ge=1, le=1000, alias="complexityThreshold", description="Cyclomatic complexity threshold"
    )


class TrainingExport(Input):
    """Whether to include the code around comments."""

    include_context: Annotated[bool, BeforeValidator(_normalize_spelling)] = Field(
        default=True, alias="includeContext", description="Include code context around comments"
    )


class FixOrphans(Input):
    """Which file's comments to fix."""

    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="File with orphaned comments (omit for all files)"
    )


def _complete_source_path(room: Comments, typed: str) -> Iterable[str]:
    """Return the source files whose paths start with `typed`."""
    listing = Listing(room.repository, lambda name: language_of(name) is not None)
    return (path for path in listing.paths() if path.startswith(typed))


def _complete_from(*choices: str) -> Callable[[Comments, str], Iterable[str]]:
    return lambda _, typed: (choice for choice in choices if choice.startswith(_normalize_spelling(typed)))


@comments.prompt(
    "review_code",
    title="Review code",
    specified=True,
    specified_description="Review code and suggest TODO/FIXME comments for improvements",
    complete={"filePath": _complete_source_path, "focus": _complete_from(*get_args(Focus))},
)
def review_code(room: Comments, args: ReviewCode) -> list[PromptMessage]:
    """Review code and suggest TODO/FIXME comments for improvements."""
    path = source_path(args.file_path).text
    text = _require_text(room, path)
    focus, language = texts.REVIEW_FOCUSES[args.focus], language_of(path, text)
    parts = [
        f"Review this code for {focus.subject} and suggest TODO/FIXME comments:",
        fence_code(text, "" if language is None else language.name),
        texts.REVIEW_STEPS.format(concern=focus.concern),
        "Focus on:\n" + "\n".join(f"- {item}" for item in focus.points),
        _describe_symbols(path, text),
        *_existing_comments(room, path),
        texts.HOW_TO_RECORD.format(path=visible(path)),
        texts.CODE_IS_DATA,
    ]
    return [PromptMessage("\n\n".join(parts))]


def _describe_symbols(path: str, text: str) -> str:
    """List the line ranges of functions and types, so that the model need not count lines."""
    from holdfast.syntax.facts import facts

    count = len(lines_of_file(text))
    symbols = [symbol for symbol in facts(path, text).symbols if symbol.is_function or symbol.is_type]
    if not symbols:
        return texts.FILE_LENGTH.format(count=count)
    lines = [texts.SYMBOL_LIST_HEADING.format(count=count)]
    for symbol in symbols[:_MAX_SYMBOLS_LISTED]:
        name = visible(".".join(symbol.path))
        lines.append(f"- {_line_range(symbol.start_line, symbol.end_line)}: {symbol.kind.lower()} {name}")
    if len(symbols) > _MAX_SYMBOLS_LISTED:
        lines.append(f"- and {len(symbols) - _MAX_SYMBOLS_LISTED} more")
    return "\n".join(lines)


def _line_range(start: int, end: int) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


@comments.prompt(
    "explain_complexity",
    title="Explain complex code",
    specified=True,
    specified_description="Add NOTE comments explaining complex functions/algorithms",
    complete={
        "filePath": _complete_source_path,
        "complexityThreshold": _complete_from("5", "10", "15", "20"),
    },
)
def explain_complexity(room: Comments, args: ExplainComplexity) -> list[PromptMessage]:
    """Add NOTE comments explaining complex functions/algorithms."""
    path = source_path(args.file_path).text
    text = _require_text(room, path)
    language = language_of(path, text)
    if language is None:
        whole = fence_code(number_lines(lines_of_file(text), 1), "")
        parts = [texts.COMPLEXITY_UNKNOWN.format(path=visible(path)), whole]
        return [PromptMessage("\n\n".join([*parts, *_explanation_steps(room, path)]))]
    from holdfast.syntax.complexity import measure_functions
    from holdfast.syntax.parse import parse

    functions = sorted(
        measure_functions(parse(language, text)),
        key=lambda function: (-function.metrics.extended, function.start_line),
    )
    complex_functions = [
        function for function in functions if function.metrics.extended >= args.complexity_threshold
    ]
    if not complex_functions:
        return [PromptMessage(_describe_simple_functions(path, functions, args.complexity_threshold))]
    head = texts.COMPLEX_FUNCTIONS.format(
        path=visible(path),
        threshold=args.complexity_threshold,
        count=len(complex_functions),
        all=len(functions),
        have="has" if len(complex_functions) == 1 else "have",
    )
    parts = [head]
    for function in complex_functions:
        lines = lines_of_file(text)[function.start_line - 1 : function.metrics.end_line]
        body = fence_code(number_lines(list(map(visible, lines)), function.start_line), language.name)
        parts.append(f"{_describe_function(function)}\n{_format_metrics(function.metrics)}\n\n{body}")
    return [PromptMessage("\n\n".join([*parts, *_explanation_steps(room, path)]))]


def _describe_simple_functions(path: str, functions: Sequence[FunctionDecisions], threshold: int) -> str:
    if not functions:
        return texts.NO_FUNCTIONS.format(path=visible(path))
    most_complex = map(_describe_function, functions[:_MAX_SIMPLE_FUNCTIONS_LISTED])
    most = "\n".join(f"- {description}" for description in most_complex)
    return texts.NOTHING_COMPLEX.format(
        path=visible(path), threshold=threshold, all=len(functions), most=most
    )


def _describe_function(function: FunctionDecisions) -> str:
    metrics, branch_lines = function.metrics, function.decision_lines
    listed = ", ".join(map(str, branch_lines[:_MAX_BRANCH_LINES_LISTED]))
    more = " and more" if len(branch_lines) > _MAX_BRANCH_LINES_LISTED else ""
    branches = f"; it branches at line {listed}{more}" if listed else ""
    lines = _line_range(function.start_line, metrics.end_line)
    return f"{visible(metrics.name)} ({lines}, complexity {metrics.extended}{branches})"


def _format_metrics(metrics: FunctionMetrics) -> str:
    recursive = ", including its recursion" if metrics.recursive else ""
    return (
        f"Statements alone: {metrics.cyclomatic}. Cognitive complexity: {metrics.cognitive}{recursive}."
        f" Nesting: {metrics.nesting}. Halstead: difficulty {metrics.difficulty:.1f},"
        f" volume {metrics.volume:.0f}, effort {metrics.effort:.0f}."
    )


def _explanation_steps(room: Comments, path: str) -> list[str]:
    return [
        texts.EXPLANATION_STEPS.format(path=visible(path)),
        *_existing_comments(room, path),
        texts.CODE_IS_DATA,
    ]


@comments.prompt(
    "training_export",
    title="Export training data",
    specified=True,
    specified_description="Export workspace comments as AI training data (JSONL format)",
    complete={"includeContext": _complete_from("true", "false")},
)
def training_export(room: Comments, args: TrainingExport) -> list[PromptMessage]:
    """Export workspace comments as AI training data (JSONL format)."""
    total = room.search.find(CommentQuery(limit=1)).total
    if not total:
        return [PromptMessage(texts.NOTHING_TO_EXPORT)]
    return [
        PromptMessage(
            texts.TRAINING_EXPORT.format(
                total=total,
                counts=_count_by_tag(room, total),
                meaning=texts.WITH_CONTEXT if args.include_context else texts.WITHOUT_CONTEXT,
                call=texts.EXPORT_ARGUMENTS_WITH_CONTEXT if args.include_context else texts.EXPORT_ARGUMENTS,
                option=" --context 5" if args.include_context else "",
            )
        )
    ]


def _count_by_tag(room: Comments, total: int) -> str:
    tags = {tag: room.search.find(CommentQuery(tag=tag, limit=1)).total for tag in KNOWN_TAGS}
    counts = tags | {"of other tags or none": total - sum(tags.values())}
    counted = ", ".join(f"{count} {tag}" for tag, count in counts.items() if count)
    enriched = room.search.find(CommentQuery(has_ai=True, limit=1)).total
    return f": {counted}; {enriched} with AI metadata"


@comments.prompt(
    "fix_orphans",
    title="Fix orphaned comments",
    specified=True,
    specified_description="Analyze orphaned comments and suggest new anchor locations",
    complete={"filePath": complete_commented_path},
)
def fix_orphans(room: Comments, args: FixOrphans) -> list[PromptMessage]:
    """Analyze orphaned comments and suggest new anchor locations."""
    path = None if args.file_path is None else source_path(args.file_path).text
    if path is not None:
        room.load(path)  # raises if the file neither exists nor has comments
    pattern = None if path is None else escape_path(path)
    uncertain = uncertain_comments(room, pattern, _MAX_ORPHANS_LISTED)
    listed = uncertain.comments
    where = "this workspace" if path is None else visible(path)
    if not listed:
        return [PromptMessage(texts.NO_ORPHANS.format(where=where))]
    # Random, so that no comment can contain the line that ends the data.
    boundary = f"orphans-{secrets.token_hex(8)}"
    candidates = find_candidates(room, listed)
    orphans = "\n\n".join(
        describe_orphan(room, number, note_path, note, candidates)
        for number, (note_path, note) in enumerate(listed, 1)
    )
    rest = ""
    if uncertain.total > len(listed):
        rest = texts.MORE_ORPHANS.format(shown=len(listed), total=uncertain.total)
    text = texts.FIX_ORPHANS.format(where=where, boundary=boundary, orphans=orphans, rest=rest)
    return [PromptMessage(text)]


def _require_text(room: Comments, path: str) -> str:
    """Return the text of a source file, or raise if it is binary or too long for a prompt."""
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


def _existing_comments(room: Comments, path: str) -> list[str]:
    """List the comments on the file, so that the model does not suggest them again."""
    try:
        notes = sorted(room.load(path).comments, key=lambda note: (note.line, note.alias))
    except HoldfastError:
        return []  # an unreadable sidecar does not prevent a review
    if not notes:
        return []
    lines = []
    for note in notes:
        text = shorten(one_line(note.text), _MAX_NOTE_CHARACTERS)
        lines.append(f"- {line_label(note.line, note.end_line)} ({_describe_state(note)}): {text}")
    return ["Comments on this file:\n" + "\n".join(lines)]


def _describe_state(note: Note) -> str:
    states = ("" if note.status == "open" else note.status, "orphaned" if note.orphaned else "")
    return ", ".join(filter(None, (visible(note.tag or UNTAGGED), *states)))
