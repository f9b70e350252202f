"""What a search takes and returns. Names on the wire are the specification's."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from holdfast.comments.models import FilePath, Status, Tag, optional
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText

MOST_RESULTS = 1000
DEFAULT_RESULTS = 100


class _Inline(Input):
    """A part of the arguments that is described where it stands."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return handler.resolve_ref_schema(handler(schema))


def _date_time(description: str) -> Any:
    return Field(
        default=None,
        description=description,
        max_length=64,
        json_schema_extra={"format": "date-time"},
    )


class DateRange(_Inline):
    """The first and the last moment that count; either may be left out."""

    start: str | None = _date_time("Earliest moment of creation.")
    end: str | None = _date_time("Latest moment of creation.")

    @field_validator("start", "end")
    @classmethod
    def _is_a_moment(cls, value: str | None) -> str | None:
        if value is not None and microseconds_of(value) is None:
            raise ValueError("must be a date and time with an offset, such as 2025-10-19T15:00:00Z")
        return value


class SearchFilters(_Inline):
    """Conditions that all must hold."""

    tag: Tag | None = Field(default=None, description="Only comments with this tag.")
    author: str | None = Field(default=None, max_length=1000, description="Only comments of this author.")
    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="Filter by specific file or glob pattern."
    )
    has_ai_metadata: bool | None = Field(
        default=None, alias="hasAIMetadata", description="Only return AI-enriched comments."
    )
    date_range: DateRange | None = Field(
        default=None, alias="dateRange", description="Only comments created in this time."
    )


class SearchComments(Input):
    """What to look for."""

    query: str = Field(min_length=1, max_length=10_000, description="Search query (supports regex).")
    filters: SearchFilters | None = Field(default=None, description="Optional filters to narrow results.")
    limit: int = Field(default=DEFAULT_RESULTS, ge=1, le=MOST_RESULTS, description="Max results to return.")


class FoundComment(Output):
    """One comment that was found."""

    file_path: UntrustedText = Field(
        serialization_alias="filePath", description="The source file it is about."
    )
    id: str = Field(description="The name to give to other tools.")
    line: int = Field(description="The line it is on now, or was last, from 1.")
    end_line: int | None = optional("The last line of a range.", serialization_alias="endLine")
    tag: UntrustedText | None = Field(description="Its category, if it has one.")
    text: UntrustedText = Field(description="What it says, as it was written.")
    author: UntrustedText = Field(description="Who wrote it, by their own account.")
    created: UntrustedText = Field(description="When it was written.")
    status: Status = Field(description="Whether it is open, resolved or will not be acted on.")
    standing: Literal["placed", "review", "orphaned"] = Field(
        description="Whether its line is sure, should be looked at by a person, or is gone."
    )
    reason: UntrustedText | None = optional("Why it is orphaned or needs review.")
    has_ai_metadata: bool = Field(
        serialization_alias="hasAIMetadata", description="Whether a model said more about it."
    )
    ai_model: UntrustedText | None = optional("The model that did.", serialization_alias="aiModel")
    ai_confidence: float | None = optional("How sure that model was.", serialization_alias="aiConfidence")
    matches: int = Field(description="How often the query matches in it; at most 100 are counted.")


class SearchMetadata(Output):
    """The facts that the specification puts beside the content."""

    total_results: int = Field(
        serialization_alias="totalResults", description="How many comments match in all."
    )
    returned: int = Field(description="How many of them are in this answer.")
    query: UntrustedText = Field(description="The query as it was given.")
    filters: dict[str, Any] = Field(description="The filters as they were given.")
    interpreted_as: Literal["regex", "text"] = Field(
        serialization_alias="interpretedAs",
        description="Whether the query was taken as an expression or letter by letter.",
    )


class SearchResult(Output):
    """The comments that match, those with most matches first, then by file, line and id."""

    metadata: SearchMetadata
    comments: list[FoundComment] = Field(description="The comments that match.")
    refusal: UntrustedText | None = optional("Why the query is no regular expression.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")
