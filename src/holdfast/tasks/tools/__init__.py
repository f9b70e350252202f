"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.tasks import charting, document_resources, moving, prompts, resources
from holdfast.tasks.tools import (
    add,
    attach,
    audit,
    claim,
    flows,
    focus,
    generate_prompt,
    github,
    graph,
    import_tasks,
    init,
    list_tasks,
    remote_interface,
    rule_update,
    start,
    status,
    steps,
    task_from,
    update,
    update_resources,
    workspaces,
)
from holdfast.tasks.toolset import tasks as toolset

DECLARING = (
    add,
    attach,
    audit,
    charting,
    claim,
    document_resources,
    flows,
    focus,
    generate_prompt,
    github,
    graph,
    import_tasks,
    init,
    list_tasks,
    moving,
    prompts,
    remote_interface,
    resources,
    rule_update,
    start,
    status,
    steps,
    task_from,
    update,
    update_resources,
    workspaces,
)
"""The modules in which operations, resources and prompts of the room declare themselves."""

__all__ = ("DECLARING", "toolset")
