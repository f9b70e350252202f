"""Runs an export: selects the files and writes them in a format to a sink."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from holdfast.comments.export.formats import json_pieces, markdown_pieces, training_pieces, write_parquet
from holdfast.comments.export.records import ExportedFile, ExportTally, read_files
from holdfast.kernel.errors import TooLarge
from holdfast.kernel.limits import MIB

if TYPE_CHECKING:
    from holdfast.comments.store import Comments

MAX_CONTEXT_LINES = 20
"""Lines of source that may be exported before and after a comment. A judgement: more is no longer context."""

Format = Literal["json", "markdown", "jsonl", "parquet"]

URI_AND_MEDIA_TYPE: dict[str, tuple[str, str]] = {
    "json": ("export://comments.json", "application/json"),
    "markdown": ("export://comments.md", "text/markdown"),
    "jsonl": ("export://training-data.jsonl", "application/x-ndjson"),
    "parquet": ("export://training-data.parquet", "application/vnd.apache.parquet"),
}
"""URI and media type of each format."""


@dataclass(frozen=True)
class ExportRequest:
    """What to export, and how."""

    format: Format
    path: str | None = None
    margin: int | None = None
    """Lines of source before and after each comment, or None for no source at all."""


def write_export(room: Comments, request: ExportRequest, sink: BinaryIO) -> ExportTally:
    """Write an export and return its counts."""
    tally = ExportTally()
    files = _read_selected_files(room, request, tally)
    if request.format == "parquet":
        write_parquet(files, sink)
        return tally
    for piece in _pieces(request.format, files, tally):  # noqa: FURB122 - `BoundedBuffer` checks each write
        sink.write(piece.encode("utf-8", "replace"))
    return tally


def _read_selected_files(
    room: Comments, request: ExportRequest, tally: ExportTally
) -> Iterator[ExportedFile]:
    if request.path is not None:
        room.load(request.path)  # raises if the one file is missing or damaged
    paths = room.sidecar_paths() if request.path is None else [request.path]
    return read_files(room, paths, request.margin, tally)


def _pieces(chosen: Format, files: Iterator[ExportedFile], tally: ExportTally) -> Iterator[str]:
    if chosen == "json":
        return json_pieces(files, tally)
    return markdown_pieces(files, tally) if chosen == "markdown" else training_pieces(files)


class BoundedBuffer(io.BytesIO):
    """A buffer that refuses an export over a size limit."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: Any) -> int:
        written = super().write(data)
        if self.tell() > self._limit:
            raise TooLarge(
                f"The export is larger than the {self._limit // MIB} MiB that fit into an answer.",
                hint="Export file by file, or write it to a file of any size with "
                "`holdfast comments export --format FORMAT --output FILE`.",
                limit=self._limit,
            )
        return written
