"""Bringing comments up to date, as an operation."""

from __future__ import annotations

from holdfast.comments import text
from holdfast.comments.anchors.scan import Outcome, Scan
from holdfast.comments.models import DamagedFile, ReanchorComments, Reanchored, ScanResult
from holdfast.comments.sidecar.paths import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect


@comments.operation(
    "reanchor_comments",
    title="Bring comments up to date",
    effect=Effect.WRITE,
    idempotent=True,
    command="re-anchor",
    positional=("file_path",),
    example="holdfast comments re-anchor",
    seconds=LIMITS.scan_seconds,
    text=text.scanned,
    fill_in=arguments.paths("filePath"),
    listed=False,
)
def reanchor_comments(room: Comments, args: ReanchorComments) -> ScanResult:
    """Find the code of every comment in the present files and write down where it is now.

    Comments whose code is found for sure move with it, also into another file. The others keep their last
    good line and are listed with what else they may belong to; nothing is ever thrown away.
    """
    only = None if args.file_path is None else source_path(args.file_path)
    scanned = Scan(room).run(only)
    outcomes = [(_reanchored(one), one.standing) for one in scanned.outcomes]
    return ScanResult(
        files=scanned.files,
        changed_files=scanned.changed,
        comments=scanned.comments,
        moved=[one for one, at in outcomes if not at.orphaned and not at.needs_review],
        needs_review=[one for one, at in outcomes if at.needs_review],
        orphaned=[one for one, at in outcomes if at.orphaned],
        damaged=[DamagedFile(file_path=path, problem=problem) for path, problem in scanned.damaged],
    )


def _reanchored(outcome: Outcome) -> Reanchored:
    return Reanchored(
        comment_id=outcome.name,
        file_path=outcome.path,
        line=outcome.standing.line,
        from_file=outcome.from_path,
        from_line=outcome.from_line,
        orphaned=outcome.standing.orphaned,
        needs_review=outcome.standing.needs_review,
        reason=outcome.standing.reason,
    )
