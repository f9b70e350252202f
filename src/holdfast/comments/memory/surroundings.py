"""What memories need to know of the other rooms: where symbols are defined, and the caller's tasks.

Rooms do not import each other; `neighbours/` fills this in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.kernel.errors import NotFound


class SymbolPlace(NamedTuple):
    """Where a symbol is defined."""

    path: str
    name: str
    """Its qualified name, joined by dots."""
    line: int
    end_line: int


class TaskTopic(NamedTuple):
    """What a task is about."""

    words: str
    paths: tuple[str, ...]


class Surroundings:
    """The other rooms, as far as memories know them. This one has neither symbols nor tasks."""

    def definitions(self, name: str) -> Sequence[SymbolPlace]:
        """Return the definitions of a symbol, given its name or the end of its qualified name."""
        raise NotFound(f"'{name}' cannot be looked up.", hint="Name it as PATH:SYMBOL.")

    def held_tasks(self) -> Sequence[TaskTopic]:
        """Return the tasks that the caller holds."""
        return ()

    def task(self, task_id: str) -> TaskTopic:
        raise NotFound(f"There is no task {task_id}.", hint="Recall by words or by a path instead.")
