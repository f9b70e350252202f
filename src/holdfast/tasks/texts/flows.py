"""The flows: for each tool, the workflow step that should follow it, and the next tool."""

from __future__ import annotations

from typing import Literal

from holdfast.kernel.errors import NotFound, did_you_mean
from holdfast.tasks.texts.shipped_steps import StepName

ToolName = Literal[
    "taskpilot_init",
    "taskpilot_start",
    "taskpilot_status",
    "taskpilot_add",
    "taskpilot_create_task",
    "taskpilot_focus",
    "taskpilot_update",
    "taskpilot_audit",
    "taskpilot_claim",
]
FLOWS: dict[ToolName, tuple[StepName, ToolName]] = {
    "taskpilot_init": ("init_success", "taskpilot_start"),
    "taskpilot_start": ("plan_work", "taskpilot_add"),
    "taskpilot_status": ("plan_work", "taskpilot_add"),
    "taskpilot_add": ("validate_task", "taskpilot_focus"),
    "taskpilot_create_task": ("validate_task", "taskpilot_focus"),
    "taskpilot_focus": ("start_task", "taskpilot_update"),
    "taskpilot_update": ("finish_task", "taskpilot_claim"),
    "taskpilot_audit": ("review_task", "taskpilot_update"),
    "taskpilot_claim": ("session_handoff", "taskpilot_start"),
}
"""For each tool with which a flow starts: the step that follows it, and the next tool."""


def parse_flow(name: str) -> ToolName:
    """Return the tool with which a flow starts, given its name with or without the prefix `taskpilot_`."""
    plain = name.strip().lower().replace("-", "_").removeprefix("taskpilot_")
    for tool in FLOWS:
        if tool == f"taskpilot_{plain}":
            return tool
    names = [tool.removeprefix("taskpilot_") for tool in FLOWS]
    raise NotFound(f"There is no flow {name[:60]!a}.", hint=did_you_mean(plain, names))
