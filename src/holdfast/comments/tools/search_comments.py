"""`search_comments`: search the texts of comments, with filters."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, StrictBool

from holdfast.comments.models import (
    DEFAULT_RESULT_LIMIT,
    MAX_RESULT_LIMIT,
    WORKSPACE_SECONDS,
    CommentResult,
    FilePath,
    FoundComment,
    Inline,
    Timestamp,
)
from holdfast.comments.search.pattern import compile_query
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import Tag
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, damage_notices, path_and_line, plain_text_notice
from holdfast.comments.toolset import comments
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.models import Input, Integer, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText


def _date_time_field(description: str) -> Any:
    return Field(default=None, description=description, json_schema_extra={"format": "date-time"})


class DateRange(Inline):
    """The first and the last time to include; either may be omitted."""

    start: Timestamp | None = _date_time_field("Earliest time of creation.")
    end: Timestamp | None = _date_time_field("Latest time of creation.")


class SearchFilters(Inline):
    """Conditions that must all hold."""

    tag: Tag | None = Field(default=None, description="Only comments with this tag.")
    author: str | None = Field(default=None, max_length=1000, description="Only comments of this author.")
    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="Filter by specific file or glob pattern."
    )
    has_ai_metadata: StrictBool | None = Field(
        default=None, alias="hasAIMetadata", description="Only return AI-enriched comments."
    )
    date_range: DateRange | None = Field(
        default=None, alias="dateRange", description="Only comments created in this period."
    )


class SearchComments(Input):
    """The query and its filters."""

    query: str = Field(min_length=1, max_length=10_000, description="Search query (supports regex).")
    filters: SearchFilters | None = Field(default=None, description="Optional filters to narrow results.")
    limit: Integer = count_field(DEFAULT_RESULT_LIMIT, MAX_RESULT_LIMIT, "Max results to return.")


class SearchMetadata(CommentResult):
    """The metadata that the specification puts beside the content."""

    total_results: int = Field(description="How many comments match in all.")
    returned: int = Field(description="How many of them are in this answer.")
    query: UntrustedText = Field(description="The query as it was given.")
    filters: dict[str, Any] = Field(description="The filters as they were given.")
    interpreted_as: Literal["regex", "text"] = Field(
        description="Whether the query was searched as a regular expression or as plain text."
    )


class CommentSearchResult(CommentResult):
    """The matching comments: most matches first, then by file, line and id."""

    metadata: SearchMetadata
    comments: list[FoundComment] = Field(description="The comments that match.")
    refusal: UntrustedText | None = optional("Why the query is not a valid regular expression.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def render_found(result: CommentSearchResult) -> str:
    """Format the comments that were found."""
    total, shown = result.metadata.total_results, result.comments
    head = f"Found {total} matching comments" + (":" if shown else ".")
    entries = [_render_comment(number, comment) for number, comment in enumerate(shown, 1)]
    return "\n\n".join([head, *entries, *_notices(result)])


def _render_comment(number: int, comment: FoundComment) -> str:
    text = comment.text.replace("\n", "\n    ")
    lines = [
        f"{number}. 📝 {one_line(path_and_line(comment))} ({one_line(comment.tag or UNTAGGED)})",
        f'   "{text}"',
        f"   Author: {one_line(comment.author)} | Created: {one_line(comment.created)}",
    ]
    if comment.has_ai_metadata:
        confidence = "" if comment.ai_confidence is None else f" (confidence: {comment.ai_confidence:g})"
        lines.append(f"   AI: {one_line(comment.ai_model or 'model not named')}{confidence}")
    return "\n".join(lines)


def _notices(result: CommentSearchResult) -> list[str]:
    notices = []
    if result.refusal is not None:
        notices.append(plain_text_notice(result.refusal, "query"))
    if result.metadata.returned < result.metadata.total_results:
        notices.append(
            f"Only the first {result.metadata.returned} are shown; a larger limit or more filters help."
        )
    return notices + damage_notices(result.damaged)


@comments.operation(
    "search_comments",
    title="Search comments",
    effect=Effect.READ,
    command="search",
    positional=("query",),
    example="""holdfast comments search "rate limit" --filters '{"tag": "TODO"}'""",
    seconds=WORKSPACE_SECONDS,
    specified=True,
    specified_description="Search comments by text query with optional filters",
    text=render_found,
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
def search_comments(room: Comments, args: SearchComments) -> CommentSearchResult:
    """Search the text of all comments in the workspace, with optional filters.

    The query is a case-insensitive regular expression; an invalid one is searched as plain text.
    `filters.filePath` is a path, or a pattern as in .gitignore: `src/**/*.ts`. Most matches
    come first.
    """
    filters = args.filters or SearchFilters()
    dates = filters.date_range or DateRange()
    pattern = compile_query(args.query)
    answer = room.search.find(
        CommentQuery(
            pattern,
            tag=filters.tag,
            author=filters.author,
            path=filters.file_path,
            has_ai=filters.has_ai_metadata,
            start=None if dates.start is None else microseconds_of(dates.start),
            end=None if dates.end is None else microseconds_of(dates.end),
            limit=args.limit,
        )
    )
    metadata = SearchMetadata(
        total_results=answer.total,
        returned=len(answer.hits),
        query=args.query,
        filters=filters.model_dump(by_alias=True, exclude_unset=True),
        interpreted_as="regex" if pattern.refusal is None else "text",
    )
    return CommentSearchResult(
        metadata=metadata,
        comments=list(map(FoundComment.of, answer.hits)),
        refusal=pattern.refusal,
        damaged=answer.damaged,
    )
