"""One sidecar while it is changed, and what goes into it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from holdfast.comments.errors import CommentNotFound
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.marker import Completion
from holdfast.comments.sidecar.note import AnchorSymbol, Note
from holdfast.comments.sidecar.source import Present
from holdfast.storage.files.repo_path import RepoPath


def moment_text(moment: datetime) -> str:
    """Write a moment as JavaScript does: UTC, milliseconds, Z."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


@dataclass(frozen=True)
class Draft:
    """A comment to be written."""

    line: int
    text: str
    author: str
    tag: str | None = None
    ai: dict[str, Any] | None = None
    end_line: int | None = None


@dataclass(frozen=True)
class Placed:
    """A comment that was written, and what it is about."""

    note: Note
    marker_id: str
    symbol: AnchorSymbol | None


@dataclass
class Change:
    """One sidecar while it is changed."""

    path: RepoPath
    sidecar: Sidecar
    present: Present | None
    source: bytes | None
    completion: Completion
    moment: str
    touched: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    before: bytes | None = None
    sequence: int = 0
    """Which of our writes of this sidecar this is."""

    def find(self, name: str) -> Note:
        """Return the comment with that id or alias."""
        note = self.sidecar.find(name)
        if note is None:
            raise CommentNotFound(self.path.text, name)
        return note

    def mark(self, note: Note) -> None:
        """Mark a comment as changed now."""
        note.raw["updated"] = self.moment
        self.touched.add(note.id)
