"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

analyze = Toolset(
    "analyze",
    "Measured facts about the code: complexity, churn, debt, dead code, dependencies.",
    family="toolkit",
)
