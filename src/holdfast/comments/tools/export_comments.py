"""Exporting comments: as an answer, or to a file of any size."""

from __future__ import annotations

import base64
import os

from holdfast.comments.export.models import (
    CommentsWritten,
    ExportComments,
    ExportMetadata,
    ExportOptions,
    ExportResult,
    WriteComments,
)
from holdfast.comments.export.writer import ADDRESSES, Bounded, Request, write_export
from holdfast.comments.sidecar.names import SUFFIX
from holdfast.comments.sidecar.paths import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.content import Content, Embedded
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.storage.files.streamed_file import streamed_file


def _words(result: ExportResult) -> str:
    return result.text if result.text is not None else str(result.blob)


def _content(result: ExportResult) -> list[Content]:
    data = None if result.blob is None else base64.b64decode(result.blob)
    return [Embedded(result.uri, result.mime_type, text=result.text, data=data)]


@comments.operation(
    "export_comments",
    title="Export comments",
    effect=Effect.READ,
    command="export-answer",
    positional=("format",),
    example="""holdfast comments export-answer jsonl --options '{"includeSourceContext": true}'""",
    seconds=600,
    specified=True,
    specified_description="Export comments as JSON, Markdown, or AI training data",
    text=_words,
    fill_in=arguments.paths("filePath"),
    content=_content,
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
def export_comments(room: Comments, args: ExportComments) -> ExportResult:
    """Export comments as JSON, Markdown, AI training data (JSON lines) or Parquet.

    The export is the answer, as one resource of at most 2 MiB; `holdfast comments export` writes files of any
    size. With `includeSourceContext` each comment comes with the lines around it as they are now.
    """
    path = None if args.file_path is None else source_path(args.file_path).text
    sink = Bounded(LIMITS.export_bytes)
    request = Request(args.format, path, (args.options or ExportOptions()).margin)
    tally = write_export(room, request, sink)
    data = sink.getvalue()
    is_text = args.format != "parquet"
    uri, mime_type = ADDRESSES[args.format]
    return ExportResult(
        metadata=ExportMetadata(format=args.format, total_comments=tally.comments, size_bytes=len(data)),
        uri=uri,
        mime_type=mime_type,
        text=data.decode() if is_text else None,
        blob=None if is_text else base64.b64encode(data).decode(),
        damaged=tally.damaged,
    )


def _written_words(result: CommentsWritten) -> str:
    if result.text is not None:
        return result.text
    lines = [f"{result.total_comments} comments of {result.total_files} files: {result.file}"]
    unread = "The comments of {} could not be read; `holdfast doctor` says why."
    lines += map(unread.format, result.damaged)
    return "\n".join(lines)


@comments.operation(
    "write_comments",
    title="Export comments to a file",
    effect=Effect.WRITE,
    command="export",
    example="holdfast comments export --format jsonl --context 5 --output training.jsonl",
    seconds=3600,
    command_only=True,
    text=_written_words,
    fill_in=arguments.paths("file"),
)
def write_comments(room: Comments, args: WriteComments) -> CommentsWritten:
    """Write all comments to a file: JSON, Markdown, AI training data (JSON lines) or Parquet.

    The file appears when it is complete, and memory does not grow with it. Without --output a text of up
    to 2 MiB is printed.
    """
    path = None if args.file is None else source_path(args.file).text
    request = Request(args.format, path, args.context)
    if args.output is None:
        return _printed(room, request)
    name = os.path.basename(args.output)
    if name.endswith(SUFFIX):
        raise InvalidArguments(
            f"'{name}' would be taken for a comment file.",
            hint=f"Choose a name that does not end in {SUFFIX}.",
        )
    with streamed_file(args.output, replace=args.overwrite) as file:
        tally = write_export(room, request, file)
        size = file.tell()
    return CommentsWritten(
        format=args.format,
        total_comments=tally.comments,
        total_files=tally.files,
        size_bytes=size,
        file=name,
        damaged=tally.damaged,
    )


def _printed(room: Comments, request: Request) -> CommentsWritten:
    if request.format == "parquet":
        raise InvalidArguments("Parquet is not text.", hint="Name a file with --output.")
    sink = Bounded(LIMITS.export_bytes)
    tally = write_export(room, request, sink)
    return CommentsWritten(
        format=request.format,
        total_comments=tally.comments,
        total_files=tally.files,
        size_bytes=len(sink.getvalue()),
        text=sink.getvalue().decode(),
        damaged=tally.damaged,
    )
