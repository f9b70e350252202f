"""`taskpilot_flows` and `taskpilot_update_flow`: show flows, and copy or delete those of the workspace.

A flow is a tool, the workflow step to do after it, and the tool to call next. The tools are fixed; only the
text of the step can be changed. Cloning a flow copies the text of its step into the workspace, where
`taskpilot_update_steps` changes it; deleting the flow restores the shipped text. Flows with the same step
share its text.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.tasks.caller import reading, writing
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import step_texts
from holdfast.tasks.texts.flows import FLOWS, ToolName, parse_flow
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS, StepName
from holdfast.tasks.texts.step_texts import OwnStep
from holdfast.tasks.tools.steps import StepScope
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.results import workspace_ref


class ShowFlows(InSession):
    """A selection of flows."""

    type: StepScope = Field(default="all", description="Shipped ones, the workspace's own, or both.")
    include: list[Literal["steps"]] = Field(
        default=[], max_length=1, description="Include each flow's steps."
    )


class FlowStep(Result):
    """One step of a flow."""

    step_order: int
    kind: Literal["tool", "feedback_step"]
    name: str


class FlowOut(Result):
    """A tool, the step that follows it, and the tool that comes next."""

    id: ToolName
    tool_name: ToolName
    feedback_step: StepName
    next_tool: ToolName
    scope: Literal["global", "workspace"]
    version: int = Field(description="Version of its step; 0 is as shipped.")
    steps: list[FlowStep] | None = None


class Flows(Reported):
    """The flows of the workflow."""

    flows: list[FlowOut]
    total: int


def _text(result: Flows) -> str:
    return "\n".join(
        f"{flow.tool_name} → {flow.feedback_step} ({flow.scope}) → {flow.next_tool}" for flow in result.flows
    )


@tasks.operation(
    "taskpilot_flows",
    title="Show the flows",
    effect=Effect.READ,
    command="flows",
    example="holdfast tasks flows",
    text=_text,
    annotations=PLANNING,
    listed=False,
    addresses=(Address("GET", "workspaces/{workspace_path}/tool-flows"),),
)
def show_flows(room: Tasks, arguments: ShowFlows) -> Flows:
    """Show for each tool the step that follows it and the next tool, as shipped and as changed here."""
    with reading(room, arguments) as transaction:
        own = step_texts.own_steps(transaction)
    flows = []
    for tool, (step, _) in FLOWS.items():
        override = own.get(step)
        if arguments.type != "workspace":
            flows.append(_flow_out(tool, None, arguments.include))
        if arguments.type != "global" and override is not None and override.active:
            flows.append(_flow_out(tool, override, arguments.include))
    workspace = workspace_ref(transaction.workspace)
    return Flows(operation="flows", workspace=workspace, flows=flows, total=len(flows))


class UpdateFlow(InSession):
    """A flow, and whether to copy or delete it."""

    flow_id: str = Field(min_length=1, max_length=60, description="The tool it starts with.")
    action: Literal["clone", "delete"] = Field(
        description="Copy its step into the workspace, or restore the shipped one."
    )
    if_version: IntegerOrNone = Field(default=None, ge=0, description="Only if the step has this version.")


class FlowChanged(Reported):
    """A flow that was copied or deleted."""

    flow: FlowOut
    changed: bool


@tasks.operation(
    "taskpilot_update_flow",
    title="Copy or delete a flow",
    effect=Effect.WRITE,
    idempotent=True,
    command="flow",
    positional=("action", "flow_id"),
    example="holdfast tasks flow clone focus",
    text=lambda result: (
        f"The flow of {result.flow.tool_name} is {result.flow.scope}{'' if result.changed else ' already'}."
    ),
    annotations=PLANNING,
    listed=False,
    expects_version="if_version",
    result_version="flow.version",
    addresses=(
        Address(
            "POST",
            "workspaces/{workspace_path}/tool-flows/{flow_id}/clone",
            {"action": "clone"},
            status=201,
            takes=frozenset({"if_version"}),
        ),
        Address(
            "DELETE",
            "workspaces/{workspace_path}/tool-flows/{flow_id}",
            {"action": "delete"},
            takes=frozenset({"if_version"}),
        ),
    ),
)
def update_flow(room: Tasks, arguments: UpdateFlow) -> FlowChanged:
    """Copy a shipped flow into the workspace, to change its step, or delete the workspace's own.

    Deleting restores the shipped flow; the deleted text stays in the history.
    """
    tool = parse_flow(arguments.flow_id)
    step = FLOWS[tool][0]
    with writing(room, arguments) as transaction:
        override = step_texts.own_steps(transaction).get(step)
        own_text = override.body if override is not None and override.active else None
        text: str | None
        if arguments.action == "clone":
            text = own_text or SHIPPED_STEPS[step]
        elif own_text is not None:
            text = None  # restores the shipped text
        else:
            raise NotFound(
                f"The flow of {tool} is as shipped; there is nothing to delete.",
                hint="`taskpilot_flows` with type `workspace` lists the workspace's own flows.",
            )
        reason = f"flow {arguments.action}d"
        own, changed = step_texts.write_step(
            transaction, step, text, reason=reason, if_version=arguments.if_version
        )
    return FlowChanged(
        operation="update_flow",
        workspace=workspace_ref(transaction.workspace),
        flow=_flow_out(tool, own, ["steps"]),
        changed=changed,
    )


def _flow_out(tool: ToolName, own: OwnStep | None, include: list[Literal["steps"]]) -> FlowOut:
    """Return the flow of a tool; `own` is the workspace's own text of its step, if there is one."""
    step, next_tool = FLOWS[tool]
    steps = [
        FlowStep(step_order=1, kind="tool", name=tool),
        FlowStep(step_order=2, kind="feedback_step", name=step),
        FlowStep(step_order=3, kind="tool", name=next_tool),
    ]
    return FlowOut(
        id=tool,
        tool_name=tool,
        feedback_step=step,
        next_tool=next_tool,
        scope="workspace" if own is not None and own.active else "global",
        version=own.version if own is not None else 0,
        steps=steps if include else None,
    )
