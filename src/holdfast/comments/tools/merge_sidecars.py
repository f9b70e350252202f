"""`merge_sidecars`: the merge driver that git calls."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from holdfast.comments.store import Comments
from holdfast.comments.toolset import comments
from holdfast.comments.union.conflicts import format_conflict
from holdfast.comments.union.three_way import merge_sidecar_bytes
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.foreign_document import UnreadableDocument
from holdfast.storage.files.regular_file import read_limited

_CONFLICT_EXIT_CODE = 1
"""The exit code of a merge driver that left a conflict (gitattributes(5))."""

FileName = Annotated[str, Field(min_length=1, max_length=LIMITS.path_characters)]
"""A path, usually of a temporary file of git; it may be outside the work tree."""


class MergeSidecars(Input):
    """The files that git passes to a merge driver."""

    base: FileName = Field(description="The common ancestor (%O).")
    ours: FileName = Field(description="Our version, which the result replaces (%A).")
    theirs: FileName = Field(description="The other version (%B).")
    path: FileName = Field(description="The path of the sidecar (%P).")


class SidecarsMerged(Output):
    """Whether two sidecars could be merged."""

    path: UntrustedText = Field(description="The path of the sidecar.")
    merged: bool = Field(description="Whether both sides are in the result.")
    problem: str | None = Field(default=None, description="Why they could not be merged; null if they were.")

    @property
    def exit_code(self) -> int:
        return 0 if self.merged else _CONFLICT_EXIT_CODE


def _render(result: SidecarsMerged) -> str:
    if result.merged:
        return ""
    return (
        f"{result.path} cannot be merged: {result.problem}. Both sides are in the file; repair it, and then"
        " `git add` it."
    )


@comments.operation(
    "merge_sidecars",
    title="Merge two versions of a sidecar",
    effect=Effect.WRITE,
    command="merge",
    positional=("base", "ours", "theirs", "path"),
    example="holdfast comments merge base ours theirs src/app.ts.comments",
    command_only=True,
    text=_render,
)
def merge_sidecars(_room: Comments, args: MergeSidecars) -> SidecarsMerged:
    """Merge two versions of a comment file, as git's merge driver; `holdfast install git` sets it up.

    Comments of both sides are kept, deletions apply, and of two changes to one comment the newer wins; the
    overwritten text stays in its history. Only a file that cannot be read is left as a conflict.
    """
    base, ours, theirs = (
        read_limited(name, LIMITS.sidecar_bytes) for name in (args.base, args.ours, args.theirs)
    )
    try:
        data, problem = merge_sidecar_bytes(base, ours, theirs), None
    except UnreadableDocument as error:
        data, problem = format_conflict(ours, theirs), str(error)
    if data != ours:
        atomic_write(args.ours, data)
    return SidecarsMerged(path=args.path, merged=problem is None, problem=problem)
