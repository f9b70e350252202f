"""Searching comments."""

from __future__ import annotations

from typing import Any

from holdfast.comments.search import text
from holdfast.comments.search.models import (
    FoundComment,
    SearchComments,
    SearchFilters,
    SearchMetadata,
    SearchResult,
)
from holdfast.comments.search.pattern import compiled
from holdfast.comments.search.query import Hit, Query
from holdfast.comments.store import Comments
from holdfast.comments.toolset import comments
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.operation import Effect


@comments.operation(
    "search_comments",
    title="Search comments",
    effect=Effect.READ,
    command="search",
    positional=("query",),
    example="""holdfast comments search "rate limit" --filters '{"tag": "TODO"}'""",
    seconds=600,
    specified=True,
    specified_description="Search comments by text query with optional filters",
    text=text.found,
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
def search_comments(room: Comments, args: SearchComments) -> SearchResult:
    """Search the text of all comments in the workspace, with optional filters.

    The query is a regular expression without regard to case; one that is not valid is searched as plain
    text. `filters.filePath` is a path, or a pattern as in .gitignore: `src/**/*.ts`. Comments with most
    matches come first, then by file, line and id.
    """
    filters = args.filters or SearchFilters()
    pattern = compiled(args.query)
    answer = room.search.find(
        Query(
            pattern,
            tag=filters.tag,
            author=filters.author,
            path=filters.file_path,
            has_ai=filters.has_ai_metadata,
            start=_moment(filters, "start"),
            end=_moment(filters, "end"),
            limit=args.limit,
        )
    )
    metadata = SearchMetadata(
        total_results=answer.total,
        returned=len(answer.hits),
        query=args.query,
        filters=_as_given(filters),
        interpreted_as="regex" if pattern.refusal is None else "text",
    )
    found = [found_comment(hit) for hit in answer.hits]
    return SearchResult(metadata=metadata, comments=found, refusal=pattern.refusal, damaged=answer.damaged)


def found_comment(hit: Hit) -> FoundComment:
    """Return a hit as a result."""
    return FoundComment(
        file_path=hit.path,
        id=hit.name,
        line=hit.line,
        end_line=hit.end_line,
        tag=hit.tag,
        text=hit.text,
        author=hit.author,
        created=hit.created,
        status=hit.status,
        standing=hit.standing,
        reason=hit.reason,
        has_ai_metadata=bool(hit.ai),
        ai_model=hit.model,
        ai_confidence=hit.confidence,
        matches=hit.matches,
    )


def _moment(filters: SearchFilters, end: str) -> int | None:
    text = None if filters.date_range is None else getattr(filters.date_range, end)
    return None if text is None else microseconds_of(text)


def _as_given(filters: SearchFilters) -> dict[str, Any]:
    return filters.model_dump(by_alias=True, exclude_unset=True)
