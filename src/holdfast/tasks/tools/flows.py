"""`taskpilot_flows`: which step follows a tool, and which tool comes next.

A flow is the workspace's own when its step is: copying a flow copies the text of its step into the workspace,
where `taskpilot_update_steps` changes it; deleting it brings the shipped text back. Flows that lead to the
same step share it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.store import step_texts
from holdfast.tasks.store.session import reading, writing
from holdfast.tasks.store.step_texts import ALL, FLOWS, OwnStep, StepName, ToolName, flow_named
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.steps import Whose
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.results import workspace_ref


class ShowFlows(InSession):
    """Which flows to show."""

    type: Whose = Field(default="all", description="Shipped ones, the workspace's own, or both.")
    include: list[Literal["steps"]] = Field(default=[], max_length=1, description="With their steps.")


class FlowStep(Result):
    """One thing that is done in a flow."""

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
    version: int = Field(description="That of its step; 0 is as shipped.")
    steps: list[FlowStep] | None = None


class Flows(Reported):
    """The flows of the workflow."""

    flows: list[FlowOut]
    total: int


def flows_words(found: Flows) -> str:
    """Return the flows, one on each line."""
    return "\n".join(
        f"{flow.tool_name} → {flow.feedback_step} ({flow.scope}) → {flow.next_tool}" for flow in found.flows
    )


@tasks.operation(
    "taskpilot_flows",
    title="Show the flows",
    effect=Effect.READ,
    command="flows",
    example="holdfast tasks flows",
    text=flows_words,
    annotations=PLANNING,
    listed=False,
    addresses=(Address("GET", "workspaces/{workspace_path}/tool-flows"),),
)
def show_flows(room: Tasks, arguments: ShowFlows) -> Flows:
    """Show which step belongs after a tool and which tool comes next, as shipped and as changed here."""
    with reading(room, arguments) as transaction:
        own = step_texts.own_steps(transaction)
    flows = []
    for tool, (step, _) in FLOWS.items():
        kept = own.get(step)
        if arguments.type != "workspace":
            flows.append(_flow(tool, None, arguments.include))
        if arguments.type != "global" and kept is not None and kept.active:
            flows.append(_flow(tool, kept, arguments.include))
    where = workspace_ref(transaction.workspace)
    return Flows(operation="flows", workspace=where, flows=flows, total=len(flows))


class UpdateFlow(InSession):
    """What to do with a flow."""

    flow_id: str = Field(min_length=1, max_length=60, description="The tool it begins with.")
    action: Literal["clone", "delete"] = Field(
        description="Make its step the workspace's own, or bring the shipped one back."
    )
    if_version: IntegerOrNone = Field(default=None, ge=0, description="Only while its step has this version.")


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
    """Copy a shipped flow into the workspace, to write its step anew, or delete the workspace's own.

    Nothing is lost by deleting: the text stays in the history, and the shipped flow is there again.
    """
    tool = flow_named(arguments.flow_id)
    step = FLOWS[tool][0]
    with writing(room, arguments) as transaction:
        kept = step_texts.own_steps(transaction).get(step)
        body = kept.body if kept is not None and kept.active else None
        if arguments.action == "delete" and body is None:
            raise NotFound(
                f"The flow of {tool} is as shipped; there is nothing to delete.",
                hint="`taskpilot_flows` with type `workspace` shows those that the workspace has.",
            )
        text = body or ALL[step] if arguments.action == "clone" else None
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
    done: list[tuple[Literal["tool", "feedback_step"], str]] = [
        ("tool", tool),
        ("feedback_step", step),
        ("tool", following),
    ]
    listed = [FlowStep(step_order=order, kind=kind, name=name) for order, (kind, name) in enumerate(done, 1)]
    return FlowOut(
        id=tool,
        tool_name=tool,
        feedback_step=step,
        next_tool=following,
        scope="workspace" if own is not None and own.active else "global",
        version=own.version if own is not None else 0,
        steps=listed if include else None,
    )
