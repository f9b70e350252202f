"""What lists and the annotated view of a file take and return."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from holdfast.comments.models import CommentFacts, FilePath, Status
from holdfast.comments.search.models import DEFAULT_RESULTS, MOST_RESULTS, FoundComment
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText

Standing = Literal["placed", "review", "orphaned"]


class ListComments(Input):
    """Which comments to list; all conditions must hold."""

    file: FilePath | None = Field(
        default=None, description="A path, or a pattern as in .gitignore such as src/**/*.ts."
    )
    tag: str | None = Field(default=None, max_length=100, description="The whole tag, such as TODO.")
    author: str | None = Field(default=None, max_length=1000, description="The author's whole name.")
    status: Status | None = Field(default=None, description="open, resolved or wontfix.")
    standing: Standing | None = Field(
        default=None, description="placed: its line is sure; review: look at it; orphaned: its code is gone."
    )
    ai: bool | None = Field(default=None, description="Only those with AI metadata, or only those without.")
    since: str | None = Field(default=None, max_length=64, description="Written at or after this moment.")
    until: str | None = Field(default=None, max_length=64, description="Written at or before this moment.")
    match: str | None = Field(
        default=None,
        min_length=1,
        max_length=10_000,
        description="A regular expression that the text matches.",
    )
    limit: int = Field(
        default=DEFAULT_RESULTS, ge=1, le=MOST_RESULTS, description="How many to list at most."
    )

    @field_validator("since", "until")
    @classmethod
    def _is_a_moment(cls, value: str | None) -> str | None:
        if value is not None and microseconds_of(value) is None:
            raise ValueError("must be a date and time with an offset, such as 2025-10-19T15:00:00Z")
        return value


class ListedComments(Output):
    """Comments by file, line and id."""

    total: int = Field(description="How many comments fit in all.")
    comments: list[FoundComment] = Field(description="The first of them.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


class ListOrphans(Input):
    """Where to look."""

    file: FilePath | None = Field(
        default=None, description="A path, or a pattern as in .gitignore; everywhere when left out."
    )
    limit: int = Field(
        default=DEFAULT_RESULTS, ge=1, le=MOST_RESULTS, description="How many to list at most."
    )


class Orphan(Output):
    """A comment without a sure line: what it said, what the code was, and where that may be now."""

    file_path: UntrustedText = Field(
        serialization_alias="filePath", description="The file it was written for."
    )
    comment: CommentFacts
    old_start_line: int | None = Field(
        serialization_alias="oldStartLine",
        description="The number of the first line of `oldCode`, when it was written.",
    )
    old_code: UntrustedText | None = Field(
        serialization_alias="oldCode",
        description="The code it was written for; of very long lines the beginning.",
    )


class Orphans(Output):
    """Comments that lost their code, and those whose line a person should look at."""

    total: int = Field(description="How many there are in all.")
    orphans: list[Orphan] = Field(description="The first of them, by file and line.")
    damaged: list[UntrustedText] = Field(description="Files whose comments could not be read.")


class BlameFile(Input):
    """Which file to show."""

    file: FilePath = Field(description="The source file.")


class AnnotatedLine(Output):
    """A line of source and the comments on it."""

    line: int = Field(description="Its number, from 1.")
    source: UntrustedText = Field(description="The line.")
    comments: list[str] = Field(description="The ids of comments that begin here.")
    covered_by: list[str] = Field(
        serialization_alias="coveredBy", description="The ids of ranges that go on here."
    )


class AnnotatedFile(Output):
    """A source file with its comments in the margin."""

    file_path: UntrustedText = Field(serialization_alias="filePath", description="The source file.")
    is_text: bool = Field(
        default=True,
        serialization_alias="isText",
        description="Whether it can be read; of a binary file no lines are shown.",
    )
    lines: list[AnnotatedLine] = Field(description="All of its lines.")
    comments: list[CommentFacts] = Field(description="Its comments; orphaned ones are on no line.")
