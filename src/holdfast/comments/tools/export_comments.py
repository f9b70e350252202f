"""`export_comments`: all comments as JSON, Markdown, training data or Parquet, in one answer."""

from __future__ import annotations

import base64

from pydantic import Field, StrictBool

from holdfast.comments.export.writer import (
    MAX_CONTEXT_LINES,
    URI_AND_MEDIA_TYPE,
    BoundedBuffer,
    ExportRequest,
    Format,
    write_export,
)
from holdfast.comments.models import WORKSPACE_SECONDS, CommentResult, FilePath, Inline
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.content import Content, Embedded
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText

_DEFAULT_CONTEXT_LINES = 3
"""The specification's default."""


class ExportOptions(Inline):
    """How much of the source is exported with each comment."""

    include_source_context: StrictBool = Field(
        default=False, alias="includeSourceContext", description="Include surrounding code lines."
    )
    context_lines: Integer = Field(
        default=_DEFAULT_CONTEXT_LINES,
        ge=0,
        le=MAX_CONTEXT_LINES,
        alias="contextLines",
        description="Lines of context before/after.",
    )

    @property
    def margin(self) -> int | None:
        """The number of lines, or None for no source at all."""
        return self.context_lines if self.include_source_context else None


class ExportComments(Input):
    """What to export, and how."""

    format: Format = Field(description="Export format.")
    file_path: FilePath | None = Field(
        default=None,
        alias="filePath",
        description="Optional: Export only specific file (omit for all files).",
    )
    options: ExportOptions | None = Field(
        default=None, description="How much source to export with each comment."
    )


class ExportMetadata(CommentResult):
    """The metadata that the specification puts beside the content."""

    format: Format = Field(description="The format of the export.")
    total_comments: int = Field(description="How many comments the export has.")
    size_bytes: int = Field(description="The size of the export in bytes, as UTF-8 if it is text.")


class ExportResult(CommentResult):
    """A complete export."""

    metadata: ExportMetadata
    uri: str = Field(description="The URI of the export within the answer.")
    mime_type: str = Field(description="The media type of the export.")
    text: UntrustedText | None = optional("The export, if it is text.")
    blob: str | None = optional("The export in base64, if it is binary.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def _content(result: ExportResult) -> list[Content]:
    data = None if result.blob is None else base64.b64decode(result.blob)
    return [Embedded(result.uri, result.mime_type, text=result.text, data=data)]


@comments.operation(
    "export_comments",
    title="Export comments",
    effect=Effect.READ,
    listed=False,
    command="export-answer",
    positional=("format",),
    example="""holdfast comments export-answer jsonl --options '{"includeSourceContext": true}'""",
    seconds=WORKSPACE_SECONDS,
    specified=True,
    specified_description="Export comments as JSON, Markdown, or AI training data",
    text=lambda result: result.text if result.text is not None else str(result.blob),
    fill_in=arguments.resolve_paths("filePath"),
    content=_content,
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
def export_comments(room: Comments, args: ExportComments) -> ExportResult:
    """Export comments as JSON, Markdown, AI training data (JSON lines) or Parquet.

    The answer is one resource of at most 2 MiB; `holdfast comments export` writes files of any size. With
    `includeSourceContext` each comment is exported with the surrounding lines as they are now.
    """
    path = None if args.file_path is None else source_path(args.file_path).text
    sink = BoundedBuffer(LIMITS.export_bytes)
    request = ExportRequest(args.format, path, (args.options or ExportOptions()).margin)
    tally = write_export(room, request, sink)
    data = sink.getvalue()
    is_text = args.format != "parquet"
    uri, mime_type = URI_AND_MEDIA_TYPE[args.format]
    return ExportResult(
        metadata=ExportMetadata(format=args.format, total_comments=tally.comments, size_bytes=len(data)),
        uri=uri,
        mime_type=mime_type,
        text=data.decode() if is_text else None,
        blob=None if is_text else base64.b64encode(data).decode(),
        damaged=tally.damaged,
    )
