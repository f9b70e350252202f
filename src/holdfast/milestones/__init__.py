"""Milestones and issues, kept as operations in git refs and merged by union.

Importing the package loads nothing. The toolset is made when it is first asked for, so that quick
commands can use the modules that need neither pydantic nor the registry.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.milestones.toolset import milestones as milestones


def __getattr__(name: str) -> object:
    if name != "milestones":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdfast.milestones import cooperation, exchange, operations, prompts, resources, toolset, writing

    del (
        cooperation,
        exchange,
        operations,
        prompts,
        resources,
        writing,
    )  # importing them declares what they hold
    return toolset.milestones
