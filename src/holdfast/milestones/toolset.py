"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from holdfast.kernel.operation import Toolset

milestones = Toolset(
    "milestones",
    "Milestones and issues that live in the repository's own git refs and travel with push and fetch.",
    family="git-mile",
)
