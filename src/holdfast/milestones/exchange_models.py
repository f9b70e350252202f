"""What import and export take and return."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.models import optional

ImportFormat = Literal["auto", "operations", "github", "beads"]
ExportFormat = Literal["operations", "entities", "github"]


class ImportEntities(Input):
    """Where to import from."""

    file: str = Field(
        min_length=1, max_length=LIMITS.path_characters, description="A file inside the repository."
    )
    format: ImportFormat = Field(
        default="auto",
        description="What it holds: our own export, GitHub issues, or beads' issues.jsonl.",
    )


class MileSkipped(Output):
    """Something that was not imported, and why."""

    item: UntrustedText = Field(description="What it is called in the file, or its line.")
    reason: UntrustedText


class MileImported(Output):
    """What an import did. Importing the same again changes nothing."""

    format: ImportFormat
    created: int = Field(description="How many milestones and issues, or operations, were new.")
    unchanged: int = Field(description="How many were there already.")
    skipped: list[MileSkipped]

    @property
    def exit_code(self) -> int:
        """Tell a script that not everything came over."""
        return 1 if self.skipped else 0


class ExportEntities(Input):
    """How to export."""

    format: ExportFormat = Field(
        default="operations",
        description="JSON lines of operations, which lose nothing, or of entities; or GitHub issues.",
    )
    file: str | None = Field(
        default=None,
        min_length=1,
        max_length=LIMITS.path_characters,
        description="A new file inside the repository; left out, the text is returned.",
    )


class MileExported(Output):
    """What was exported."""

    format: ExportFormat
    count: int = Field(description="How many operations or entities.")
    file: UntrustedText | None = optional("The file that was written.")
    text: UntrustedText | None = optional("The export itself, where no file was named.")
