"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.tasks import document_resources, prompts, resources
from holdfast.tasks.tools import (
    add,
    attach,
    audit,
    chart,
    claim,
    export,
    flows,
    focus,
    generate_prompt,
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
    chart,
    claim,
    document_resources,
    export,
    flows,
    focus,
    generate_prompt,
    import_tasks,
    init,
    list_tasks,
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
