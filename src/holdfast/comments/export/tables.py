"""Comments as a Parquet file, for programs that work on tables. Needs pyarrow, an extra."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.comments.export.records import Exported, ExportedFile
from holdfast.comments.sidecar.note import confidence_of, model_of
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.untrusted import visible, visible_in

_ROWS_AT_A_TIME = 2000


def write_parquet(files: Iterable[ExportedFile], sink: Any) -> None:
    """Write the file, some thousand rows at a time."""
    arrow, parquet = _libraries()
    schema = _schema(arrow)
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
            hint="Install `holdfast[parquet]`, or export as json, markdown or jsonl.",
        ) from None
    return pyarrow, pyarrow.parquet


def _schema(arrow: Any) -> Any:
    text, number = arrow.string(), arrow.int32()
    return arrow.schema(
        [
            ("file_path", text),
            ("id", text),
            ("line", number),
            ("end_line", number),
            ("tag", text),
            ("text", text),
            ("author", text),
            ("created", text),
            ("updated", text),
            ("status", text),
            ("anchor_kind", text),
            ("anchor", text),
            ("orphaned", arrow.bool_()),
            ("reason", text),
            ("ai_model", text),
            ("ai_confidence", arrow.float64()),
            ("ai_metadata", text),
            ("replies", text),
            ("context_start_line", number),
            ("context", text),
        ]
    )


def _batches(files: Iterable[ExportedFile]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for file in files:
        rows += map(_row, file.comments)
        if len(rows) >= _ROWS_AT_A_TIME:
            yield rows
            rows = []
    if rows:
        yield rows


def _row(exported: Exported) -> dict[str, Any]:
    note, context = exported.note, exported.context
    return {
        "file_path": exported.path,
        "id": note.alias,
        "line": note.line,
        "end_line": note.end_line,
        "tag": exported.tag,
        "text": exported.text,
        "author": exported.author,
        "created": exported.created,
        "updated": exported.updated,
        "status": note.status,
        "anchor_kind": None if note.symbol is None else visible(note.symbol.kind),
        "anchor": exported.anchor,
        "orphaned": note.orphaned,
        "reason": note.reason,
        "ai_model": model_of(exported.ai),
        "ai_confidence": confidence_of(exported.ai),
        "ai_metadata": _json(exported.ai),
        "replies": _json([dict(reply) for reply in note.replies] or None),
        "context_start_line": None if context is None else context.start,
        "context": None if context is None else context.text,
    }


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(visible_in(value), ensure_ascii=False)
