"""What a synchronisation does, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Side = Literal["ours", "theirs"]
Direction = Literal["both", "pull", "push"]
Done = Literal[
    "created_here", "created_there", "changed_here", "changed_there", "conflict", "refused", "failed"
]


@dataclass(frozen=True)
class Step:
    """One thing that was done, or would be."""

    done: Done
    task_id: str | None
    origin: str | None
    title: str
    fields: tuple[str, ...] = ()
    detail: str | None = None
    url: str | None = None


@dataclass
class Outcome:
    """What a synchronisation did, or would do."""

    steps: list[Step] = field(default_factory=list)
    unchanged: int = 0
    skipped: int = 0
    """Finished items over there that nobody asked for."""
