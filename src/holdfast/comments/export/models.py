"""What an export takes and returns. Names on the wire are the specification's."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.comments.export.writer import Format
from holdfast.comments.models import FilePath, optional
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText

DEFAULT_MARGIN = 3
LARGEST_MARGIN = 20


class ExportOptions(Input):
    """How much of the source goes with each comment."""

    include_source_context: bool = Field(
        default=False, alias="includeSourceContext", description="Include surrounding code lines."
    )
    context_lines: int = Field(
        default=DEFAULT_MARGIN,
        ge=0,
        le=LARGEST_MARGIN,
        alias="contextLines",
        description="Lines of context before/after.",
    )

    @property
    def margin(self) -> int | None:
        """How many lines, or None for no source at all."""
        return self.context_lines if self.include_source_context else None

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return handler.resolve_ref_schema(handler(schema))


class ExportComments(Input):
    """What to export, and how."""

    format: Format = Field(description="Export format.")
    file_path: FilePath | None = Field(
        default=None,
        alias="filePath",
        description="Optional: Export only specific file (omit for all files).",
    )
    options: ExportOptions | None = Field(default=None, description="How much source goes with each comment.")


class ExportMetadata(Output):
    """The numbers that the specification puts beside the content."""

    format: Format = Field(description="The format.")
    total_comments: int = Field(
        serialization_alias="totalComments", description="How many comments are in it."
    )
    size_bytes: int = Field(serialization_alias="sizeBytes", description="Its size; of text, in UTF-8.")


class ExportResult(Output):
    """An export, whole."""

    metadata: ExportMetadata
    uri: str = Field(description="The address it has within the answer.")
    mime_type: str = Field(serialization_alias="mimeType", description="Its media type.")
    text: UntrustedText | None = optional("The export, where it is text.")
    blob: str | None = optional("The export in base64, where it is not.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


class WriteComments(Input):
    """What to export, how, and where to."""

    format: Format = Field(default="json", description="json, markdown, jsonl (training data) or parquet.")
    file: FilePath | None = Field(default=None, description="Only the comments of this source file.")
    context: int | None = Field(
        default=None,
        ge=0,
        le=LARGEST_MARGIN,
        description="Lines of source to include before and after each comment; none unless given.",
    )
    output: str | None = Field(
        default=None, min_length=1, max_length=4096, description="File to write; printed when left out."
    )
    overwrite: bool = Field(default=False, description="Replace the file if it exists.")


class CommentsWritten(Output):
    """What was exported."""

    format: Format = Field(description="The format.")
    total_comments: int = Field(
        serialization_alias="totalComments", description="How many comments are in it."
    )
    total_files: int = Field(serialization_alias="totalFiles", description="How many files they are about.")
    size_bytes: int = Field(serialization_alias="sizeBytes", description="Its size.")
    file: UntrustedText | None = optional("The file it was written to.")
    text: UntrustedText | None = optional("The export, where it was not written to a file.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")
