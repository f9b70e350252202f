"""`git_mile.import`: milestones and issues from a file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.errors import Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.imports import beads_drafts, github_drafts
from holdfast.milestones.log.entry import parse
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import BULK_SECONDS, FileName, milestones
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

ImportFormat = Literal["auto", "operations", "github", "beads"]
_CONVERTERS = {"github": github_drafts, "beads": beads_drafts}


class ImportEntities(Input):
    """Where to import from."""

    file: FileName = Field(description="A file inside the repository.")
    format: ImportFormat = Field(
        default="auto",
        description="Its format: Holdfast's own export, GitHub issues, or beads' issues.jsonl.",
    )


class MileSkipped(Output):
    """An item that was not imported, and why."""

    item: UntrustedText = Field(description="Its name in the file, or its line.")
    reason: UntrustedText


class MileImported(Output):
    """What an import did. Importing the same file again changes nothing."""

    format: ImportFormat
    created: int = Field(description="Number of new milestones and issues, or operations.")
    unchanged: int = Field(description="Number of existing ones.")
    skipped: list[MileSkipped]

    @property
    def exit_code(self) -> int:
        """Return 1 if something was skipped."""
        return 1 if self.skipped else 0


def _text(result: MileImported) -> str:
    skipped = [f"{one_line(entry.item)}: {one_line(entry.reason)}" for entry in result.skipped]
    new = "operations new" if result.format == "operations" else "created"
    head = f"{result.created} {new}, {result.unchanged} exist already, {len(skipped)} skipped."
    return "\n".join([head, *skipped])


@milestones.operation(
    "git_mile.import",
    title="Import milestones and issues",
    effect=Effect.WRITE,
    idempotent=True,
    seconds=BULK_SECONDS,
    command="import",
    positional=("file",),
    example="holdfast milestones import issues.json --format github",
    text=_text,
    listed=False,
)
def import_entities(room: Milestones, args: ImportEntities) -> MileImported:
    """Import Holdfast's own export, GitHub issues, or beads' issues.jsonl.

    GitHub issues are read from the response of its REST API, or from `gh issue list --json` with the
    equivalent fields. Importing again changes nothing. Items that cannot be imported are reported with the
    reason.
    """
    content = _read_text(room, args.file)
    chosen: ImportFormat = _detect_format(content) if args.format == "auto" else args.format
    skipped: list[MileSkipped] = []
    if chosen == "operations":
        return _import_operations(room, content)

    def skip(item: str, reason: str) -> None:
        skipped.append(MileSkipped(item=item, reason=reason))

    receipts = room.import_drafts(list(_CONVERTERS[chosen](content, skip)))
    created = sum(receipt.changed for receipt in receipts)
    return MileImported(format=chosen, created=created, unchanged=len(receipts) - created, skipped=skipped)


def _read_text(room: Milestones, file: str) -> str:
    path = RepoPath.parse(file)
    try:
        return Tree(room.repository).read_bytes(path, LIMITS.git_output_bytes).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid(f"The file '{path.text}' is not UTF-8 text.", hint="Save it as UTF-8.") from None


def _detect_format(content: str) -> ImportFormat:
    """Return the format of a text: a JSON array is GitHub's; the first line distinguishes the others."""
    if content.lstrip().startswith("["):
        return "github"
    first = next((line for line in content.splitlines() if line.strip()), "")
    return "operations" if parse(first) is not None else "beads"


def _import_operations(room: Milestones, content: str) -> MileImported:
    operations, skipped = [], []
    lines = (line for line in content.splitlines() if line.strip())
    for number, line in enumerate(lines, start=1):
        if parse(line) is not None:
            operations.append(line)
        else:
            skipped.append(MileSkipped(item=f"line {number}", reason="It is not an operation."))
    created = room.import_operations(operations)
    return MileImported(
        format="operations", created=created, unchanged=len(operations) - created, skipped=skipped
    )
