"""The toolset in which the room's tools, resources and prompts declare themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast.kernel.operation import Effect, Toolset
from holdfast.milestones.text import done as said_done

_SOME_ID = "8903a9b6-0000-7000-8000-000000000001"


class MilestonesToolset(Toolset):
    """A toolset most of whose tools change one milestone or issue."""

    def change(
        self, command: str, done: str, *, title: str, example: str = "", **more: Any
    ) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
        """Declare the decorated function as a tool that changes one milestone or issue.

        `done` is what its receipt says in words; `example` follows the command and an id.
        """
        settings: dict[str, Any] = {
            "effect": Effect.WRITE,
            "idempotent": True,
            "positional": ("id",),
            "text": lambda result: said_done(done, result),
        }
        return self.operation(
            f"git_mile.{command.replace('-', '_')}",
            title=title,
            command=command,
            example=f"holdfast milestones {command} {_SOME_ID} {example}".strip(),
            **(settings | more),
        )


milestones = MilestonesToolset(
    "milestones",
    "Milestones and issues that live in the repository's own git refs and travel with push and fetch.",
    family="git-mile",
)
