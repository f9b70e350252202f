"""The tools of the room, one module each, named after the tool (`import_`: `git_mile.import`).

A command imports the module of its own tool, `toolset` imports all. Only `holdfast.toolsets` does either.
"""

from __future__ import annotations

from importlib import import_module

from holdfast.kernel.operation import Toolset

TOOLS = (
    *("assign", "claim", "close", "comment", "create", "delete_comment", "edit", "export", "import_", "init"),
    *("label", "link", "list", "log", "open", "ready", "release", "show", "sync"),
)


def __getattr__(name: str) -> Toolset:
    if name != "toolset":
        raise AttributeError(name)
    from holdfast.milestones import prompts, resources
    from holdfast.milestones.toolset import milestones

    for tool in TOOLS:
        import_module(f"{__name__}.{tool}")
    del prompts, resources  # importing them declares what they hold
    return milestones
