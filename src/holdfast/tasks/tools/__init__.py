"""Everything that the room offers: importing this package declares it.

Only `holdfast.toolsets` imports it.
"""

from __future__ import annotations

from holdfast.tasks import (
    attachments,
    charting,
    document_resources,
    documents,
    looking,
    moving,
    prompts,
    reporting,
    resources,
)
from holdfast.tasks.tools import (
    add,
    audit,
    claim,
    flows,
    focus,
    generate_prompt,
    github,
    import_tasks,
    list_tasks,
    remote_interface,
    rule_update,
    shortcuts,
    start,
    steps,
    task_from,
    update,
)
from holdfast.tasks.toolset import tasks as toolset

DECLARING = (
    add,
    attachments,
    audit,
    charting,
    claim,
    document_resources,
    documents,
    flows,
    focus,
    generate_prompt,
    github,
    import_tasks,
    list_tasks,
    looking,
    moving,
    prompts,
    remote_interface,
    reporting,
    resources,
    rule_update,
    shortcuts,
    start,
    steps,
    task_from,
    update,
)
"""The modules in which operations, resources and prompts of the room declare themselves."""

__all__ = ("DECLARING", "toolset")
