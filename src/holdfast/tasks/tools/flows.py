"""`taskpilot_flows` and `taskpilot_update_flow`: which step follows a tool, and which tool comes next.

A flow belongs to the workspace if its step does: cloning a flow copies the text of its step into the
workspace, where `taskpilot_update_steps` changes it; deleting it restores the shipped text. Flows with the
same step share its text.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.store.session import reading, writing
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import step_texts
from holdfast.tasks.texts.flows import FLOWS, ToolName, parse_flow
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS, StepName
from holdfast.tasks.texts.step_texts import OwnStep
from holdfast.tasks.tools.steps import Whose
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.results import workspace_ref


class ShowFlows(InSession):
    """Which flows to show."""

    type: Whose = Field(default="all", description="Shipped ones, the workspace's own, or both.")
    include: list[Literal["steps"]] = Field(default=[], max_length=1, description="Include their steps.")


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


def flows_text(found: Flows) -> str:
    """Return the flows, one per line."""
    return "\n".join(
        f"{flow.tool_name} → {flow.feedback_step} ({flow.scope}) → {flow.next_tool}" for flow in found.flows
    )


@tasks.operation(
    "taskpilot_flows",
    title="Show the flows",
    effect=Effect.READ,
    command="flows",
    example="holdfast tasks flows",
    text=flows_text,
    annotations=PLANNING,
    listed=False,
    addresses=(Address("GET", "workspaces/{workspace_path}/tool-flows"),),
)
def show_flows(room: Tasks, arguments: ShowFlows) -> Flows:
    """Show which step follows a tool and which tool comes next, as shipped and as changed here."""
    with reading(room, arguments) as transaction:
        own = step_texts.own_steps(transaction)
    flows = []
    for tool, (step, _) in FLOWS.items():
        override = own.get(step)
        if arguments.type != "workspace":
            flows.append(_flow(tool, None, arguments.include))
        if arguments.type != "global" and override is not None and override.active:
            flows.append(_flow(tool, override, arguments.include))
    where = workspace_ref(transaction.workspace)
    return Flows(operation="flows", workspace=where, flows=flows, total=len(flows))


class UpdateFlow(InSession):
    """What to do with a flow."""

    flow_id: str = Field(min_length=1, max_length=60, description="The tool it begins with.")
    action: Literal["clone", "delete"] = Field(
        description="Copy its step into the workspace, or restore the shipped one."
    )
    if_version: IntegerOrNone = Field(default=None, ge=0, description="Only if its step has this version.")


class FlowChanged(Reported):
    """Receipt for a flow."""

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
        body = override.body if override is not None and override.active else None
        if arguments.action == "delete" and body is None:
            raise NotFound(
                f"The flow of {tool} is as shipped; there is nothing to delete.",
                hint="`taskpilot_flows` with type `workspace` lists the workspace's own flows.",
            )
        text = body or SHIPPED_STEPS[step] if arguments.action == "clone" else None
        reason = f"flow {arguments.action}d"
        own, changed = step_texts.write(
            transaction, step, text, reason=reason, if_version=arguments.if_version
        )
    return FlowChanged(
        operation="update_flow",
        workspace=workspace_ref(transaction.workspace),
        flow=_flow(tool, own, ["steps"]),
        changed=changed,
    )


def _flow(tool: ToolName, own: OwnStep | None, include: list[Literal["steps"]]) -> FlowOut:
    step, following = FLOWS[tool]
    sequence: list[tuple[Literal["tool", "feedback_step"], str]] = [
        ("tool", tool),
        ("feedback_step", step),
        ("tool", following),
    ]
    steps = [FlowStep(step_order=n, kind=kind, name=name) for n, (kind, name) in enumerate(sequence, 1)]
    return FlowOut(
        id=tool,
        tool_name=tool,
        feedback_step=step,
        next_tool=following,
        scope="workspace" if own is not None and own.active else "global",
        version=own.version if own is not None else 0,
        steps=steps if include else None,
    )
