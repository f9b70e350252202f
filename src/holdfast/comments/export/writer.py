"""An export from end to end: which files, in which format, to where."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from holdfast.comments.export.formats import json_pieces, markdown_pieces, training_pieces, write_parquet
from holdfast.comments.export.records import ExportedFile, ExportTally, exported_files
from holdfast.kernel.errors import TooLarge
from holdfast.kernel.limits import MIB

if TYPE_CHECKING:
    from holdfast.comments.store import Comments

LARGEST_MARGIN = 20
"""Lines of source before and after a comment that may be asked for."""

Format = Literal["json", "markdown", "jsonl", "parquet"]

ADDRESSES: dict[str, tuple[str, str]] = {
    "json": ("export://comments.json", "application/json"),
    "markdown": ("export://comments.md", "text/markdown"),
    "jsonl": ("export://training-data.jsonl", "application/x-ndjson"),
    "parquet": ("export://training-data.parquet", "application/vnd.apache.parquet"),
}
"""Address and media type of each format."""


@dataclass(frozen=True)
class ExportRequest:
    """What to export, and how."""

    format: Format
    path: str | None = None
    margin: int | None = None
    """How many lines of source before and after each comment, or None for no source at all."""


def write_export(room: Comments, request: ExportRequest, sink: BinaryIO) -> ExportTally:
    """Write an export and return what is in it."""
    tally = ExportTally()
    files = _files(room, request, tally)
    if request.format == "parquet":
        write_parquet(files, sink)
        return tally
    for piece in _pieces(request.format, files, tally):  # noqa: FURB122 - `Bounded` looks at each write
        sink.write(piece.encode("utf-8", "replace"))
    return tally


def _files(room: Comments, request: ExportRequest, tally: ExportTally) -> Iterator[ExportedFile]:
    if request.path is not None:
        room.load(request.path)  # here, and not further down, a file that is missing or damaged is a failure
    paths = room.sidecar_paths() if request.path is None else [request.path]
    return exported_files(room, paths, request.margin, tally)


def _pieces(chosen: Format, files: Iterator[ExportedFile], tally: ExportTally) -> Iterator[str]:
    if chosen == "json":
        return json_pieces(files, tally)
    return markdown_pieces(files, tally) if chosen == "markdown" else training_pieces(files)


class BoundedBuffer(io.BytesIO):
    """Memory for an export of a limited size."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: Any) -> int:
        """Take some bytes, or refuse all of the export."""
        written = super().write(data)
        if self.tell() > self._limit:
            raise TooLarge(
                f"The export is larger than the {self._limit // MIB} MiB that fit into an answer.",
                hint="Export file by file, or write it to a file of any size with "
                "`holdfast comments export --format FORMAT --output FILE`.",
                limit=self._limit,
            )
        return written
