"""`write_comments`: export comments to a file of any size."""

from __future__ import annotations

import os
from contextlib import nullcontext

from pydantic import Field, StrictBool

from holdfast.comments.export.writer import (
    MAX_CONTEXT_LINES,
    BoundedBuffer,
    ExportRequest,
    Format,
    write_export,
)
from holdfast.comments.models import CommentResult, FilePath
from holdfast.comments.sidecar.source import SUFFIX, source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import damage_notices
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, IntegerOrNone, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.atomic import streamed_file

_MAX_SECONDS = 3600
"""Time limit of an export to a file. A judgement: a person waits for it and can end it."""


class WriteComments(Input):
    """What to export, in which format, and to which file."""

    format: Format = Field(default="json", description="json, markdown, jsonl (training data) or parquet.")
    file: FilePath | None = Field(default=None, description="Only the comments of this source file.")
    context: IntegerOrNone = Field(
        default=None,
        ge=0,
        le=MAX_CONTEXT_LINES,
        description="Lines of source to include before and after each comment; none by default.",
    )
    output: str | None = Field(
        default=None,
        min_length=1,
        max_length=LIMITS.path_characters,
        description="File to write; printed if omitted.",
    )
    overwrite: StrictBool = Field(default=False, description="Replace the file if it exists.")


class CommentsWritten(CommentResult):
    """The result of an export."""

    format: Format = Field(description="The format of the export.")
    total_comments: int = Field(description="How many comments the export has.")
    total_files: int = Field(description="How many files the comments belong to.")
    size_bytes: int = Field(description="The size of the export in bytes.")
    file: UntrustedText | None = optional("The file that the export was written to.")
    text: UntrustedText | None = optional("The export, if it was not written to a file.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def _render(result: CommentsWritten) -> str:
    if result.text is not None:
        return result.text
    counts = f"{counted(result.total_comments, 'comment')} of {counted(result.total_files, 'file')}"
    return "\n".join([f"{counts}: {result.file}", *damage_notices(result.damaged)])


@comments.operation(
    "write_comments",
    title="Export comments to a file",
    effect=Effect.WRITE,
    command="export",
    example="holdfast comments export --format jsonl --context 5 --output training.jsonl",
    seconds=_MAX_SECONDS,
    command_only=True,
    text=_render,
    fill_in=arguments.resolve_paths("file"),
)
def write_comments(room: Comments, args: WriteComments) -> CommentsWritten:
    """Write all comments to a file: JSON, Markdown, AI training data (JSON lines) or Parquet.

    The file appears when it is complete, and memory does not grow with its size. Without --output, up to 2
    MiB of text is printed.
    """
    path = None if args.file is None else source_path(args.file).text
    request = ExportRequest(args.format, path, args.context)
    name = None if args.output is None else os.path.basename(args.output)
    if name is None and args.format == "parquet":
        raise InvalidArguments("Parquet is not text.", hint="Name a file with --output.")
    if name is not None and name.endswith(SUFFIX):
        hint = f"Choose a name that does not end in {SUFFIX}."
        raise InvalidArguments(f"'{name}' would be taken for a comment file.", hint=hint)
    buffer = BoundedBuffer(LIMITS.export_bytes)
    output_file = streamed_file(args.output, replace=args.overwrite) if args.output else None
    with output_file or nullcontext(buffer) as sink:
        tally, size = write_export(room, request, sink), sink.tell()
    return CommentsWritten(
        format=args.format,
        total_comments=tally.comments,
        total_files=tally.files,
        size_bytes=size,
        file=name,
        text=None if output_file else buffer.getvalue().decode(),
        damaged=tally.damaged,
    )
