"""`read_history`: the commits that changed a file, or some of its lines."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import Field

from holdfast.kernel.clock import rfc3339
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, IntegerOrNone, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.room import Source, resolve_typed
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.commit_log import LoggedCommit, commit_log
from holdfast.storage.git.line_diff import LineRange, former_indexes, lines_of

_DEFAULT_COMMITS = 20
"""Commits that are returned by default: a judgement, about a screen."""
_MAX_BODY_CHARACTERS = 2000
"""Characters of a message: a judgement, above what most have."""
_SHORT_ID_CHARACTERS = 10
"""Characters of a commit id in the text: unique in all but huge repositories."""


class ReadHistory(Input):
    """A file, and lines of it."""

    file: RepoPath = Field(description="A file, from the root of the repository.")
    start: IntegerOrNone = Field(
        default=None, ge=1, description="The first line; by default the history is that of the whole file."
    )
    end: IntegerOrNone = Field(default=None, ge=1, description="The last line; by default the first one.")
    revision: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="The commit, branch or tag that has these lines; by default the work tree.",
    )
    limit: Integer = Field(
        default=_DEFAULT_COMMITS, ge=1, le=LIMITS.list_page, description="Most commits to return."
    )


class HistoryCommit(Output):
    """A commit that changed the file or the lines."""

    commit: str
    author: UntrustedText
    time: str = Field(description="When the author wrote the commit.")
    subject: UntrustedText
    body: UntrustedText = Field(description="The rest of the message, shortened if it is long.")
    file: UntrustedText | None = Field(description="The file's path in the commit; null for lines.")


class SourceHistory(Output):
    """The past of a file, or of some of its lines."""

    file: UntrustedText
    revision: str | None = Field(description="The commit that the history starts from; null without commits.")
    start: int | None = Field(
        description="The first of the lines in that commit; null for a file, or if none is committed."
    )
    end: int | None
    commits: list[HistoryCommit] = Field(description="Newest first.")
    has_more: bool = Field(description="Whether older commits were left out.")


def _render(result: SourceHistory) -> str:
    older = ["… and older commits"] if result.has_more else []
    return "\n".join([*map(_commit_line, result.commits), *older]) or "Not committed yet."


def _commit_line(commit: HistoryCommit) -> str:
    commit_id = commit.commit[:_SHORT_ID_CHARACTERS]
    return f"{commit_id}  {commit.time[:10]}  {commit.author}: {one_line(commit.subject)}"


@source.operation(
    "read_history",
    title="History of a file or of lines",
    effect=Effect.READ,
    command="history",
    positional=("file",),
    example="holdfast source history src/main.py --start 40 --end 60",
    listed=False,
    text=_render,
    fill_in=resolve_typed("file"),
)
def read_history(room: Source, args: ReadHistory) -> SourceHistory:
    """Show the commits that changed a file, or some of its lines such as those of a function, newest first.

    Renames are followed. Lines of the work tree are found in the last commit first; uncommitted ones have no
    history.
    """
    if args.end is not None and (args.start is None or args.end < args.start):
        raise InvalidArguments("The lines end before they start.", hint="Give `start`, and `end` after it.")
    commit = room.commit(args.revision)
    current = room.content(args.file, commit)
    revision = commit or room.git.head()
    committed = current if commit else room.git.head_blob(args.file, limit=LIMITS.source_file_bytes)
    lines = None if args.start is None else _committed_lines(args, current, committed)
    commits: list[LoggedCommit] = []
    if revision is not None and committed is not None and (args.start is None or lines is not None):
        commits = commit_log(room.git, revision, args.file, lines, args.limit + 1)
    start, end = lines or (None, None)
    return SourceHistory(
        file=args.file.text,
        revision=revision,
        start=start,
        end=end,
        commits=[_history_commit(commit) for commit in commits[: args.limit]],
        has_more=len(commits) > args.limit,
    )


def _committed_lines(args: ReadHistory, current: bytes, committed: bytes | None) -> LineRange | None:
    """Return the range that the lines have in the commit; None if none of them is committed."""
    start = args.start or 1
    before, after = lines_of(committed or b""), lines_of(current)
    wanted = range(start - 1, min(args.end or start, len(after)))
    former = former_indexes(before, after, wanted)
    return (min(former.values()) + 1, max(former.values()) + 1) if former else None


def _history_commit(commit: LoggedCommit) -> HistoryCommit:
    return HistoryCommit(
        commit=commit.id,
        author=commit.author,
        time=rfc3339(datetime.fromtimestamp(commit.time, UTC)),
        subject=commit.subject,
        body=shorten(commit.body, _MAX_BODY_CHARACTERS),
        file=commit.path,
    )
