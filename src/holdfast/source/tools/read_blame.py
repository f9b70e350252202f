"""`read_blame`: who last changed each line of a file, and in which commit."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby

from pydantic import Field

from holdfast.kernel.clock import rfc3339
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.room import Source, resolve_typed
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.blame import BlamedCommit, blame
from holdfast.storage.git.line_diff import former_indexes, lines_of

_SHORT_ID_CHARACTERS = 10
"""Characters of a commit id in the text: unique in all but huge repositories."""
_NOT_COMMITTED = "not committed yet"


class ReadBlame(Input):
    """A file of the work tree."""

    file: RepoPath = Field(description="A file, from the root of the repository.")


class BlameSpan(Output):
    """Consecutive lines that the same commit changed last."""

    start: int
    end: int
    commit: str | None = Field(description="Null for lines that are not committed yet.")
    author: UntrustedText | None
    time: str | None = Field(description="When the author wrote the commit.")
    subject: UntrustedText | None


class Blame(Output):
    """The last change of each line of a file."""

    file: UntrustedText
    spans: list[BlameSpan]


def _render(result: Blame) -> str:
    return "\n".join(map(_span_text, result.spans)) or "No lines."


def _span_text(span: BlameSpan) -> str:
    lines = f"{span.start}-{span.end}"
    if span.commit is None or span.time is None:
        return f"{lines:>12}  {_NOT_COMMITTED}"
    commit = span.commit[:_SHORT_ID_CHARACTERS]
    return f"{lines:>12}  {commit}  {span.time[:10]}  {span.author}: {one_line(span.subject or '')}"


@source.operation(
    "read_blame",
    title="Blame a file",
    effect=Effect.READ,
    command="blame",
    positional=("file",),
    example="holdfast source blame src/main.py",
    listed=False,
    text=_render,
    fill_in=resolve_typed("file"),
)
def read_blame(room: Source, args: ReadBlame) -> Blame:
    """Show who last changed each line of a file, when, and in which commit.

    Lines are those of the work tree; those that are not committed have no commit.
    """
    room.refuse_ignored(args.file)
    data = room.tree.read_bytes(args.file, LIMITS.source_file_bytes)
    head = room.git.head()
    committed = None if head is None else room.git.head_blob(args.file, limit=LIMITS.source_file_bytes)
    lines = lines_of(data) if data else []
    commits: list[BlamedCommit | None] = [None] * len(lines)
    if head is not None and committed is not None:
        blamed = blame(room.git, head, args.file)
        before = lines_of(committed)
        for index, former in former_indexes(before, lines, range(len(lines))).items():
            commits[index] = blamed[former]
    return Blame(file=args.file.text, spans=_spans(commits))


def _spans(commits: list[BlamedCommit | None]) -> list[BlameSpan]:
    spans = []
    start = 1
    for commit, group in groupby(commits):
        end = start + len(list(group)) - 1
        time = None if commit is None else rfc3339(datetime.fromtimestamp(commit.time, UTC))
        spans.append(
            BlameSpan(
                start=start,
                end=end,
                commit=commit and commit.id,
                author=commit and commit.author,
                time=time,
                subject=commit and commit.subject,
            )
        )
        start = end + 1
    return spans
