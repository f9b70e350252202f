"""Writes exported comments in each format.

- JSON: one document with all data of each comment, or training data as JSON lines.
- Markdown, for people.
- Parquet, for programs that process tables; needs the extra `pyarrow`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from holdfast.comments.export.records import ExportedComment, ExportedFile, ExportTally
from holdfast.comments.sidecar.note import confidence_of, model_of
from holdfast.comments.text import UNTAGGED, order_tags
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible, visible_in

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_BACKTICKS = re.compile(r"`{3,}")
_MIN_ROWS_PER_GROUP = 2000
"""Rows that are collected before a Parquet row group is written. A judgement: a few megabytes of text."""


def json_pieces(files: Iterable[ExportedFile], tally: ExportTally) -> Iterator[str]:
    """Yield a JSON document, one file's comments at a time."""
    yield '{"files": ['
    separator = "\n"
    for file in files:
        value = {"filePath": file.path, "comments": [_comment_data(comment) for comment in file.comments]}
        yield separator + _json_text(value)
        separator = ",\n"
    end = {"totalComments": tally.comments, "totalFiles": tally.files, "damaged": tally.damaged}
    yield f"\n], {_json_text(end)[1:]}\n"


def _comment_data(exported: ExportedComment) -> dict[str, Any]:
    """Return a comment with all stored keys, also unknown ones, and its current location."""
    note = exported.note
    stored = {} if note.alias == note.id else {"storedId": note.id}
    place = {"line": note.line} | ({} if note.end_line is None else {"endLine": note.end_line})
    symbol = note.symbol
    now = {
        "orphaned": note.orphaned,
        "reason": note.reason,
        "confidence": note.location.confidence.value,
        "needsReview": note.location.needs_review,
        "symbol": symbol and {"kind": symbol.kind, "name": symbol.name, "container": symbol.container},
    }
    context = exported.context
    lines = context and {"filePath": context.path, "startLine": context.start, "lines": list(context.lines)}
    source = {} if lines is None else {"sourceContext": lines}
    return visible_in({**note.raw, "id": note.alias, **stored, **place, **now, **source})  # type: ignore[no-any-return]


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def training_pieces(files: Iterable[ExportedFile]) -> Iterator[str]:
    """Yield training data: one JSON object on a line for each comment."""
    for file in files:
        for exported in file.comments:
            example = {
                "prompt": _training_prompt(exported),
                "completion": exported.text,
                "metadata": _training_metadata(exported),
            }
            yield _json_text(example) + "\n"


def _training_prompt(exported: ExportedComment) -> str:
    if exported.context is not None:
        return f"Analyze this code:\n{exported.context.text}\n"
    about = f" ({exported.anchor})" if exported.anchor else ""
    return f"Analyze this code: line {exported.note.line} of {exported.path}{about}\n"


def _training_metadata(exported: ExportedComment) -> dict[str, Any]:
    note = exported.note
    facts: dict[str, Any] = {
        "tag": exported.tag,
        "author": exported.author,
        "filePath": exported.path,
        "line": note.line,
    }
    if note.end_line is not None:
        facts["endLine"] = note.end_line
    facts |= {"anchor": exported.anchor, "aiMeta": exported.ai, "created": exported.created}
    return facts | ({"orphaned": True} if note.orphaned else {})


def markdown_pieces(files: Iterable[ExportedFile], tally: ExportTally) -> Iterator[str]:
    """Yield a Markdown document, one comment at a time."""
    yield "# Comments\n"
    for file in files:
        yield f"\n## {escape_inline(file.path)}\n"
        language = _fence_language(file.path)
        for tag in order_tags(comment.tag or UNTAGGED for comment in file.comments):
            yield f"\n### {escape_inline(tag)} Comments\n"
            yield from (
                _markdown_entry(comment, language)
                for comment in file.comments
                if (comment.tag or UNTAGGED) == tag
            )
    if not tally.comments:
        yield "\nThere are no comments.\n"
    for path in tally.damaged:
        yield f"\nThe comments of {escape_inline(path)} could not be read.\n"


def _markdown_entry(exported: ExportedComment, language: str) -> str:
    note = exported.note
    end = "" if note.end_line is None else f"-{note.end_line}"
    facts = [
        f"**Line {note.line}{end}**",
        f"`{note.alias}`",
        escape_inline(exported.author),
        escape_inline(exported.created),
    ]
    if exported.anchor:
        facts.append(escape_inline(exported.anchor))
    if note.orphaned:
        facts.append(f"orphaned: {(note.reason or 'unknown').replace('_', ' ')}")
    if note.status != "open":
        facts.append(note.status)
    body = "\n".join(f"> {line}".rstrip() for line in exported.text.split("\n"))
    replies = "".join(_markdown_reply(reply) for reply in note.replies)
    code = "" if exported.context is None else f"\n{fence_code(exported.context.text, language)}\n"
    return f"\n{' · '.join(fact for fact in facts if fact)}\n\n{body}\n{replies}{code}"


def _markdown_reply(reply: Mapping[str, Any]) -> str:
    author, text = (visible(str(reply.get(name, ""))) for name in ("author", "text"))
    body = "\n".join(f">> {line}".rstrip() for line in f"{escape_inline(author)}: {text}".split("\n"))
    return f">\n{body}\n"


def fence_code(code: str, language: str) -> str:
    """Enclose code in a fence that is longer than any fence in the code."""
    longest = max(map(len, _BACKTICKS.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _fence_language(path: str) -> str:
    from holdfast.syntax.languages import language_of

    language = language_of(path)
    return "" if language is None else language.name


def escape_inline(text: str) -> str:
    """Return a text on one line, with Markdown's special characters escaped."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.split()))


_COLUMNS: Mapping[str, tuple[str, Callable[[ExportedComment], Any]]] = {
    "file_path": ("string", lambda comment: comment.path),
    "id": ("string", lambda comment: comment.note.alias),
    "line": ("int32", lambda comment: comment.note.line),
    "end_line": ("int32", lambda comment: comment.note.end_line),
    "tag": ("string", lambda comment: comment.tag),
    "text": ("string", lambda comment: comment.text),
    "author": ("string", lambda comment: comment.author),
    "created": ("string", lambda comment: comment.created),
    "updated": ("string", lambda comment: comment.updated),
    "status": ("string", lambda comment: comment.note.status),
    "anchor_kind": ("string", lambda comment: comment.note.symbol and visible(comment.note.symbol.kind)),
    "anchor": ("string", lambda comment: comment.anchor),
    "orphaned": ("bool_", lambda comment: comment.note.orphaned),
    "reason": ("string", lambda comment: comment.note.reason),
    "ai_model": ("string", lambda comment: model_of(comment.ai)),
    "ai_confidence": ("float64", lambda comment: confidence_of(comment.ai)),
    "ai_metadata": ("string", lambda comment: _json_or_none(comment.ai)),
    "replies": ("string", lambda one: _json_or_none([dict(reply) for reply in one.note.replies] or None)),
    "context_start_line": ("int32", lambda comment: comment.context and comment.context.start),
    "context": ("string", lambda comment: comment.context and comment.context.text),
}
"""The columns of a table: the name of the pyarrow type, and a function that returns a comment's value."""


def write_parquet(files: Iterable[ExportedFile], sink: Any) -> None:
    """Write a Parquet file in batches of rows."""
    arrow, parquet = _import_pyarrow()
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, (kind, _) in _COLUMNS.items()])
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for rows in _row_batches(files):
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise Unavailable(
            "Writing Parquet needs pyarrow, which is not installed.",
            hint="Install it with: pip install 'holdfast[parquet]', or export as json, markdown or jsonl.",
        ) from None
    return pyarrow, pyarrow.parquet


def _row_batches(files: Iterable[ExportedFile]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for file in files:
        rows += [{name: value(comment) for name, (_, value) in _COLUMNS.items()} for comment in file.comments]
        if len(rows) >= _MIN_ROWS_PER_GROUP:
            yield rows
            rows = []
    if rows:
        yield rows


def _json_or_none(value: object) -> str | None:
    return None if value is None else json.dumps(visible_in(value), ensure_ascii=False)
