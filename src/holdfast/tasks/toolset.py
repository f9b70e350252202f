"""The toolset with which the operations, resources and prompts of tasks are registered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdfast.kernel.toolset import Toolset

tasks = Toolset(
    "tasks",
    "Tasks that several agents and people share: dependencies, claims that expire, and proof before done.",
    family="taskpilot",
    in_database=True,
)


def _annotations(category: str, *, confirmation: bool = False) -> Mapping[str, object]:
    """Return the annotations of a tool, as the TaskPilot specification defines them."""
    return MappingProxyType(
        {"category": category, "destructive": False, "requiresConfirmation": confirmation}
    )


WORKSPACE = _annotations("workspace-management")
READING = _annotations("task-overview")
WRITING = _annotations("task-management")
PLANNING = _annotations("planning")
INTEGRATION = _annotations("integration", confirmation=True)
