"""Calls of the steps and flows of tasks, and why their plain text is safe."""

from __future__ import annotations

from tests.contract.case import Case

CONTENT = "Finish {task_id}: \x1b[31mrun\u202e the tests."

TASK_STEP_CASES = [
    Case("taskpilot_steps", ("tasks", "steps")),
    Case(
        "taskpilot_update_steps",
        ("tasks", "step", "finish_task", "--content", CONTENT, "--if-version", "0"),
        {"step_name": "finish_task", "content": CONTENT, "if_version": 0},
    ),
    Case(
        "taskpilot_update_steps",
        ("tasks", "step", "finish_task", "--content", "Other", "--if-version", "0"),
        {"step_name": "finish_task", "content": "Other", "if_version": 0},
        "out_of_date",
    ),
    Case(
        "taskpilot_update_steps",
        ("tasks", "step", "finish_task", "--content", "{nothing}"),
        {"step_name": "finish_task", "content": "{nothing}"},
        "invalid_arguments",
    ),
    Case(
        "taskpilot_steps",
        ("tasks", "steps", "finish_task", "--type", "workspace"),
        {"step_name": "finish_task", "type": "workspace"},
    ),
    Case("taskpilot_steps", ("tasks", "steps", "dance"), {"step_name": "dance"}, "invalid_arguments"),
    Case("taskpilot_flows", ("tasks", "flows", "--include", "steps"), {"include": ["steps"]}),
    Case(
        "taskpilot_update_flow", ("tasks", "flow", "clone", "focus"), {"action": "clone", "flow_id": "focus"}
    ),
    Case(
        "taskpilot_update_flow",
        ("tasks", "flow", "delete", "focus"),
        {"action": "delete", "flow_id": "focus"},
    ),
    Case(
        "taskpilot_update_flow",
        ("tasks", "flow", "delete", "focus"),
        {"action": "delete", "flow_id": "focus"},
        "not_found",
    ),
]

_OURS = "a name that stands in our code"

TASK_STEP_PLAIN_TEXT = {
    **{
        f"{model}.{name}": _OURS
        for model in ("Steps", "StepWritten", "Flows", "FlowChanged")
        for name in ("operation", "next_steps")
    },
    "FlowStep.name": _OURS,
    "StepOut.updated_at": "a moment, written by us as RFC 3339",
    "StepOut.variables": _OURS,
    "StepWritten.uri": "an address made of one of our names",
}
