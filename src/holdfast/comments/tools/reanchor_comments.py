"""`reanchor_comments`: find the code of every comment again and write its new line to the sidecar."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.anchors.scan import Scan, ScanOutcome
from holdfast.comments.models import CommentResult, FilePath
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.errors import Corrupted
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

_DAMAGED_EXIT_CODE = Corrupted.exit_code
"""The exit code if a sidecar is damaged: that of the error."""


class ReanchorComments(Input):
    """Which comments to update."""

    file_path: FilePath | None = Field(
        default=None, alias="filePath", description="Only this source file; all files if omitted."
    )


class Reanchored(CommentResult):
    """A comment that a scan moved or could not place."""

    comment_id: str = Field(description="The id of the comment.")
    file_path: UntrustedText = Field(description="The source file that the comment belongs to now.")
    line: int = Field(description="The line that the comment is on, or was on last.")
    from_file: UntrustedText | None = optional("The file that the comment came from, if it moved.")
    from_line: int = Field(description="The line that the comment was on before.")
    orphaned: bool = Field(description="Whether the comment's code is gone.")
    needs_review: bool = Field(description="Whether a person should check the comment's line.")
    reason: str | None = optional("Why the comment is orphaned or needs review.")


class DamagedFile(CommentResult):
    """A sidecar that could not be read or written, and was left unchanged."""

    file_path: UntrustedText = Field(description="The source file that the sidecar belongs to.")
    problem: UntrustedText = Field(description="Why the sidecar could not be read or written.")


class ScanResult(CommentResult):
    """The result of updating comments."""

    files: int = Field(description="How many files have comments.")
    changed_files: int = Field(description="How many of them had changed.")
    comments: int = Field(description="How many comments were tracked in those.")
    moved: list[Reanchored] = Field(description="Comments that are on another line or in another file now.")
    needs_review: list[Reanchored] = Field(
        description="Comments whose line is uncertain; they keep the last good one."
    )
    orphaned: list[Reanchored] = Field(description="Comments whose code is gone.")
    damaged: list[DamagedFile] = Field(description="Sidecars that were left unchanged.")

    @property
    def exit_code(self) -> int:
        return _DAMAGED_EXIT_CODE if self.damaged else 0


def _render(result: ScanResult) -> str:
    head = f"Checked {counted(result.files, 'file')} with comments; {result.changed_files} had changed"
    head += f", with {counted(result.comments, 'comment')}." if result.changed_files else "."
    parts = [
        _render_section("Moved", result.moved),
        _render_section("Needs review", result.needs_review),
        _render_section("Orphaned", result.orphaned),
        [f"Left unchanged: {damaged.file_path}: {damaged.problem}" for damaged in result.damaged],
    ]
    return "\n".join([head, *(line for part in parts for line in part)])


def _render_section(label: str, comments: list[Reanchored]) -> list[str]:
    return [
        f"{label}: {_render_origin(comment)}{comment.file_path}:{comment.line} - {comment.comment_id}"
        f"{_render_reason(comment)}"
        for comment in comments
    ]


def _render_origin(comment: Reanchored) -> str:
    """Return where a comment was before, unless it is there still."""
    if comment.from_file is None and comment.from_line == comment.line:
        return ""
    return f"{comment.from_file or comment.file_path}:{comment.from_line} to "


def _render_reason(comment: Reanchored) -> str:
    return f" ({comment.reason.replace('_', ' ')})" if comment.reason else ""


@comments.operation(
    "reanchor_comments",
    title="Update the lines of comments",
    effect=Effect.WRITE,
    idempotent=True,
    command="re-anchor",
    positional=("file_path",),
    example="holdfast comments re-anchor",
    seconds=LIMITS.scan_seconds,
    text=_render,
    fill_in=arguments.resolve_paths("filePath"),
    listed=False,
)
def reanchor_comments(room: Comments, args: ReanchorComments) -> ScanResult:
    """Find the code of every comment in the current files and write its new line to the sidecar.

    Comments whose code is found with certainty move with it, also to another file. The others keep their last
    good line and are listed with the reason; no comment is deleted.
    """
    only = None if args.file_path is None else source_path(args.file_path)
    summary = Scan(room).run(only)
    changed = [_reanchored_comment(outcome) for outcome in summary.outcomes]
    return ScanResult(
        files=summary.files,
        changed_files=summary.changed,
        comments=summary.comments,
        moved=[comment for comment in changed if not comment.orphaned and not comment.needs_review],
        needs_review=[comment for comment in changed if comment.needs_review],
        orphaned=[comment for comment in changed if comment.orphaned],
        damaged=[DamagedFile(file_path=path, problem=problem) for path, problem in summary.damaged],
    )


def _reanchored_comment(outcome: ScanOutcome) -> Reanchored:
    return Reanchored(
        comment_id=outcome.comment_id,
        file_path=outcome.path,
        line=outcome.location.line,
        from_file=outcome.from_path,
        from_line=outcome.from_line,
        orphaned=outcome.location.orphaned,
        needs_review=outcome.location.needs_review,
        reason=outcome.location.reason,
    )
