"""What a comment stores about itself as a memory, under a key of its own.

Contract: the values are read from a file that other programs and other versions may write, so anything that
has not the expected form is read as if it were not there. Lists only grow, so that two branches merge to
their union.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, get_args

from holdfast.comments.sidecar.note import Note
from holdfast.kernel.errors import InvalidPath
from holdfast.storage.files.repo_path import RepoPath

MEMORY_KEY = "holdfastMemory"
"""The key of a comment that is a memory; the VS Code extension preserves it."""

CONFIRMED, SUPERSEDED, RETIRED = "confirmed", "superseded", "retired"

Scope = Literal["lines", "symbol", "file", "folder", "repository"]
_SCOPES = get_args(Scope)


class Step(NamedTuple):
    """Who confirmed, replaced or retired a memory, when, and the former text or the reason."""

    by: str
    at: str
    text: str = ""


class MemoryRecord(NamedTuple):
    """A memory as its comment stores it."""

    scope: Scope
    symbol: str | None
    folder: str
    """The path of the folder that it is about; empty for the whole repository."""
    confirmed: Sequence[Step]
    superseded: Sequence[Step]
    """Its former texts, oldest first."""
    retired: Step | None
    commit: str | None
    """The last commit when it was written or confirmed; stored for folders and the repository."""


def record_of(note: Note) -> MemoryRecord | None:
    """Return what a comment stores about itself as a memory, or None if it is none."""
    value = note.raw.get(MEMORY_KEY)
    if not isinstance(value, dict):
        return None
    scope: Any = value.get("scope")
    return MemoryRecord(
        scope if scope in _SCOPES else "lines",
        _text(value, "symbol") or None,
        _folder(value),
        _steps(value.get(CONFIRMED)),
        _steps(value.get(SUPERSEDED)),
        next(iter(_steps([value.get(RETIRED)])), None),
        _text(value, "commit") or None,
    )


def step_to_json(by: str, at: str, text: str = "") -> dict[str, str]:
    """Return a step in the form in which it is stored."""
    return {"by": by, "at": at, **({"text": text} if text else {})}


def _steps(value: object) -> list[Step]:
    items = value if isinstance(value, list) else []
    steps = [Step(_text(item, "by"), _text(item, "at"), _text(item, "text")) for item in items if item]
    return sorted((step for step in steps if step.at), key=lambda step: step.at)


def _text(holder: object, name: str) -> str:
    value = holder.get(name) if isinstance(holder, Mapping) else None
    return value if isinstance(value, str) else ""


def _folder(value: object) -> str:
    """Return the stored path of a folder; empty if it leads out of the work tree."""
    with suppress(InvalidPath):
        return RepoPath.parse(_text(value, "folder")).text
    return ""


def memory_data(note: Note) -> dict[str, Any]:
    """Return the stored object of a memory, to be changed."""
    data: dict[str, Any] = note.raw[MEMORY_KEY]
    return data
