"""`list_comments`: comments by file and line, with filters."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, StrictBool

from holdfast.comments.models import (
    DEFAULT_RESULT_LIMIT,
    MAX_RESULT_LIMIT,
    WORKSPACE_SECONDS,
    FilePath,
    FoundComment,
    Timestamp,
)
from holdfast.comments.search.pattern import compile_query
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.note import Standing, Status
from holdfast.comments.store import Comments
from holdfast.comments.text import (
    UNLIMITED_COLUMNS,
    UNTAGGED,
    damage_notices,
    path_and_line,
    plain_text_notice,
    strip_tag,
    wrap_text,
)
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.models import Input, Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import display_width, one_line, table
from holdfast.kernel.untrusted import UntrustedText

_FLEXIBLE_COLUMNS = (3, 4)
"""The table columns that are shortened on a narrow terminal: text and author."""

_MIN_TEXT_COLUMNS = 20
"""Fewest columns to which text is wrapped. A judgement: fewer are unreadable."""


def _day_at(time: str) -> BeforeValidator:
    """Return a validator that adds a time to a date without one, such as 2025-10-19."""
    date_length = len("YYYY-MM-DD")
    return BeforeValidator(lambda given: f"{given}T{time}Z" if len(str(given)) == date_length else given)


Earliest = Annotated[Timestamp | None, _day_at("00:00:00")]
Latest = Annotated[Timestamp | None, _day_at("23:59:59.999999")]


class ListComments(Input):
    """Which comments to list; all conditions must hold."""

    file: FilePath | None = Field(
        default=None, description="A path, or a pattern as in .gitignore such as src/**/*.ts."
    )
    tag: str | None = Field(default=None, max_length=100, description="The whole tag, such as TODO.")
    author: str | None = Field(default=None, max_length=1000, description="The author's whole name.")
    status: Status | None = Field(default=None, description="open, resolved or wontfix.")
    standing: Standing | None = Field(
        default=None, description="placed: its line is certain; review: check it; orphaned: its code is gone."
    )
    ai: StrictBool | None = Field(
        default=None, description="Only those with AI metadata, or only those without."
    )
    since: Earliest = Field(default=None, description="Written since this day (2025-10-19) or time.")
    until: Latest = Field(default=None, description="Written until the end of this day, or until this time.")
    match: str | None = Field(
        default=None,
        min_length=1,
        max_length=10_000,
        description="A regular expression that the text matches.",
    )
    limit: Integer = count_field(DEFAULT_RESULT_LIMIT, MAX_RESULT_LIMIT, "How many to list at most.")


class ListedComments(Output):
    """Comments by file, line and id."""

    total: int = Field(description="How many comments match in all.")
    comments: list[FoundComment] = Field(description="The first of them.")
    refusal: UntrustedText | None = optional(
        "Why `match` is not a valid regular expression; it was searched as text."
    )
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


def render_table(result: ListedComments, width: int = UNLIMITED_COLUMNS) -> str:
    """Format a list of comments for a terminal, one per line if they fit."""
    rows = [_cells(comment) for comment in result.comments]
    lines = [_render_rows(rows, width)] if rows else ["No comments."]
    if len(result.comments) < result.total:
        lines.append(f"{len(result.comments)} of {result.total}; a larger limit shows more.")
    if result.refusal is not None:
        lines.append(plain_text_notice(result.refusal, "match"))
    return "\n".join([*lines, *damage_notices(result.damaged)])


def _render_rows(rows: list[tuple[str, ...]], width: int) -> str:
    """Format rows as a table or, if the terminal is too narrow for it, as a few lines for each comment."""
    as_table = table(rows, width, flexible=_FLEXIBLE_COLUMNS)
    if max(map(display_width, as_table.split("\n"))) <= width:
        return as_table
    text_width = max(_MIN_TEXT_COLUMNS, width - 2)
    lines = []
    for place, tag, state, text, _author, name in rows:
        facts = " ".join(filter(None, (tag, state, name)))
        indented = [f"  {line}" for part in (facts, text) for line in wrap_text(part, text_width)]
        lines += [place, *indented]
    return "\n".join(lines)


def _cells(comment: FoundComment) -> tuple[str, ...]:
    state = "" if comment.standing == "placed" else comment.standing
    status = "" if comment.status == "open" else comment.status
    return (
        one_line(path_and_line(comment)),
        one_line(comment.tag or UNTAGGED),
        ", ".join(filter(None, (state, status))),
        one_line(strip_tag(comment.text, comment.tag)),
        one_line(comment.author),
        comment.id,
    )


@comments.operation(
    "list_comments",
    title="List comments",
    effect=Effect.READ,
    command="list",
    positional=("file",),
    example="holdfast comments list 'src/**' --tag TODO --status open",
    seconds=WORKSPACE_SECONDS,
    text=render_table,
    table=render_table,
    fill_in=arguments.resolve_pattern("file"),
    listed=False,
)
def list_comments(room: Comments, args: ListComments) -> ListedComments:
    """List comments by file and line, with filters.

    Lines are where the code is now; `standing` is how certain that is. Use search_comments to rank by the
    number of matches.
    """
    pattern = None if args.match is None else compile_query(args.match)
    found = room.search.find(
        CommentQuery(
            pattern,
            tag=args.tag,
            author=args.author,
            path=args.file,
            has_ai=args.ai,
            start=None if args.since is None else microseconds_of(args.since),
            end=None if args.until is None else microseconds_of(args.until),
            status=args.status,
            standing=args.standing,
            limit=args.limit,
            by_place=True,
        ),
        # The standing of all comments is known only after all files have been tracked.
        everywhere=args.standing is not None,
    )
    return ListedComments(
        total=found.total,
        comments=list(map(FoundComment.of, found.hits)),
        refusal=None if pattern is None else pattern.refusal,
        damaged=found.damaged,
    )
