"""The inbox: review remarks on their way from a person to an agent, and the agent's answers.

Importing the package loads nothing. The toolset is made when it is first asked for, so that quick
commands can use the modules that need neither pydantic nor the registry.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.inbox.toolset import inbox as inbox


def __getattr__(name: str) -> object:
    if name != "inbox":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdfast.inbox import operations, prompts, resources, toolset

    del operations, prompts, resources  # importing them declares what they hold
    return toolset.inbox
