"""The tools of the room, one module each.

A command imports the module of its own tool, `toolset` imports all. Only `holdfast.toolsets` does either.
"""

from __future__ import annotations

from holdfast.kernel.operation import Toolset


def __getattr__(name: str) -> Toolset:
    if name != "toolset":
        raise AttributeError(name)
    from holdfast.templates import prompts, resources
    from holdfast.templates.tools import (
        generate_template,
        list_templates,
        scaffold_project,
        search_templates,
        validate_template,
        write_scaffold,
    )
    from holdfast.templates.toolset import templates

    # Importing them declares what they hold.
    del (
        generate_template,
        list_templates,
        scaffold_project,
        search_templates,
        validate_template,
        write_scaffold,
    )
    del prompts, resources
    return templates
