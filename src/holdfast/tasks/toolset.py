"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from holdfast.kernel.operation import Toolset

tasks = Toolset(
    "tasks",
    "Tasks that several agents and people share: dependencies, claims that expire, and proof before done.",
    family="taskpilot",
    in_database=True,
)
