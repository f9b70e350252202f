"""Comments in each export format.

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
from holdfast.comments.text import TAGS, UNTAGGED
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible, visible_in

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_FENCES = re.compile(r"`{3,}")
_ROWS_AT_A_TIME = 2000
"""Rows of a Parquet row group. A chosen bound on memory."""


def json_pieces(files: Iterable[ExportedFile], tally: ExportTally) -> Iterator[str]:
    """Yield the document piece by piece."""
    yield '{"files": ['
    separator = "\n"
    for file in files:
        value = {"filePath": file.path, "comments": [_comment(one) for one in file.comments]}
        yield separator + _text(value)
        separator = ",\n"
    end = {"totalComments": tally.comments, "totalFiles": tally.files, "damaged": tally.damaged}
    yield f"\n], {_text(end)[1:]}\n"


def _comment(exported: ExportedComment) -> dict[str, Any]:
    """Return a comment as it is stored, unknown keys included, with its current location."""
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


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def training_pieces(files: Iterable[ExportedFile]) -> Iterator[str]:
    """Yield one line for each comment."""
    for file in files:
        for exported in file.comments:
            completion, metadata = exported.text, _metadata(exported)
            yield _text({"prompt": _prompt(exported), "completion": completion, "metadata": metadata}) + "\n"


def _prompt(exported: ExportedComment) -> str:
    if exported.context is not None:
        return f"Analyze this code:\n{exported.context.text}\n"
    about = f" ({exported.anchor})" if exported.anchor else ""
    return f"Analyze this code: line {exported.note.line} of {exported.path}{about}\n"


def _metadata(exported: ExportedComment) -> dict[str, Any]:
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
    """Yield the document piece by piece."""
    yield "# Comments\n"
    for file in files:
        yield f"\n## {inline(file.path)}\n"
        language = _fence_language(file.path)
        for tag in _tags(file):
            yield f"\n### {inline(tag)} Comments\n"
            yield from (_entry(one, language) for one in file.comments if (one.tag or UNTAGGED) == tag)
    if not tally.comments:
        yield "\nThere are no comments.\n"
    for path in tally.damaged:
        yield f"\nThe comments of {inline(path)} could not be read.\n"


def _tags(file: ExportedFile) -> list[str]:
    found = {one.tag or UNTAGGED for one in file.comments}
    return [tag for tag in TAGS if tag in found] + sorted(found - set(TAGS))


def _entry(exported: ExportedComment, language: str) -> str:
    note = exported.note
    end = "" if note.end_line is None else f"-{note.end_line}"
    facts = [
        f"**Line {note.line}{end}**",
        f"`{note.alias}`",
        inline(exported.author),
        inline(exported.created),
    ]
    if exported.anchor:
        facts.append(inline(exported.anchor))
    if note.orphaned:
        facts.append(f"orphaned: {(note.reason or 'unknown').replace('_', ' ')}")
    if note.status != "open":
        facts.append(note.status)
    body = "\n".join(f"> {line}".rstrip() for line in exported.text.split("\n"))
    replies = "".join(_reply(one) for one in note.replies)
    code = "" if exported.context is None else f"\n{fenced(exported.context.text, language)}\n"
    return f"\n{' · '.join(fact for fact in facts if fact)}\n\n{body}\n{replies}{code}"


def _reply(reply: Mapping[str, Any]) -> str:
    author, text = (visible(str(reply.get(name, ""))) for name in ("author", "text"))
    body = "\n".join(f">> {line}".rstrip() for line in f"{inline(author)}: {text}".split("\n"))
    return f">\n{body}\n"


def fenced(code: str, language: str) -> str:
    """Return code in a fence longer than any in the code."""
    longest = max((len(found) for found in _FENCES.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _fence_language(path: str) -> str:
    from holdfast.syntax.languages import language_of

    language = language_of(path)
    return "" if language is None else language.fence


def inline(text: str) -> str:
    """Return one line of text with Markdown's special characters escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


_COLUMNS: Mapping[str, tuple[str, Callable[[ExportedComment], Any]]] = {
    "file_path": ("string", lambda one: one.path),
    "id": ("string", lambda one: one.note.alias),
    "line": ("int32", lambda one: one.note.line),
    "end_line": ("int32", lambda one: one.note.end_line),
    "tag": ("string", lambda one: one.tag),
    "text": ("string", lambda one: one.text),
    "author": ("string", lambda one: one.author),
    "created": ("string", lambda one: one.created),
    "updated": ("string", lambda one: one.updated),
    "status": ("string", lambda one: one.note.status),
    "anchor_kind": ("string", lambda one: one.note.symbol and visible(one.note.symbol.kind)),
    "anchor": ("string", lambda one: one.anchor),
    "orphaned": ("bool_", lambda one: one.note.orphaned),
    "reason": ("string", lambda one: one.note.reason),
    "ai_model": ("string", lambda one: model_of(one.ai)),
    "ai_confidence": ("float64", lambda one: confidence_of(one.ai)),
    "ai_metadata": ("string", lambda one: _json(one.ai)),
    "replies": ("string", lambda one: _json([dict(reply) for reply in one.note.replies] or None)),
    "context_start_line": ("int32", lambda one: one.context and one.context.start),
    "context": ("string", lambda one: one.context and one.context.text),
}
"""The columns of a table: the name of its pyarrow type, and how to get the value from a comment."""


def write_parquet(files: Iterable[ExportedFile], sink: Any) -> None:
    """Write the file in batches of rows."""
    arrow, parquet = _libraries()
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, (kind, _) in _COLUMNS.items()])
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for rows in _batches(files):
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise Unavailable(
            "Writing Parquet needs pyarrow, which is not installed.",
            hint="Install it with: pip install 'holdfast[parquet]', or export as json, markdown or jsonl.",
        ) from None
    return pyarrow, pyarrow.parquet


def _batches(files: Iterable[ExportedFile]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for file in files:
        rows += [{name: value(one) for name, (_, value) in _COLUMNS.items()} for one in file.comments]
        if len(rows) >= _ROWS_AT_A_TIME:
            yield rows
            rows = []
    if rows:
        yield rows


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(visible_in(value), ensure_ascii=False)
