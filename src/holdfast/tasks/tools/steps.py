"""`taskpilot_steps` and `taskpilot_update_steps`: show and override the texts of workflow steps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import IntegerOrNone
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import reading, writing
from holdfast.tasks.models import InSession, Reported, ResponseFormat, Result, Stored
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import rules, step_texts
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS, StepName
from holdfast.tasks.texts.step_texts import MAX_STEP_CHARACTERS, OwnStep
from holdfast.tasks.tools.rule_update import RuleOut, rule_out
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.results import timestamp, workspace_ref

StepScope = Literal["global", "workspace", "all"]
_MAX_TEXT_CHARACTERS = 160
"""A step or rule in a concise result. A judgement: two lines of a terminal."""
_MAX_TEXT_CHARACTERS_DETAILED = 1500
"""A step in a detailed result. A judgement: all shipped texts are shorter."""
_MAX_RULES_SHOWN = 5
"""Rules in a concise result. A judgement: a sample, as `taskpilot_rules` lists all."""
_MAX_RULES_SHOWN_DETAILED = 20
"""Rules in a detailed result. A judgement: as many as other detailed lists have (`view/budget.py`)."""


class ShowSteps(InSession):
    """A selection of steps, and how much of them to show."""

    type: StepScope = Field(default="all", description="Shipped ones, the workspace's own, or both.")
    step_name: str | None = Field(
        default=None, max_length=60, description="Only this step, with its whole text."
    )
    response_format: ResponseFormat = Field(default="concise", description="How much of each text.")


class StepOut(Result):
    """A workflow step and its text."""

    id: StepName
    name: StepName
    scope: Literal["global", "workspace"]
    template_content: UntrustedText
    truncated: bool | None = Field(default=None, description="Set if the text was cut.")
    variables: list[str] | None = Field(default=None, description="Variables that are filled in.")
    version: int = Field(description="Number of changes by the workspace; 0 is as shipped.")
    updated_at: str | None = None
    updated_by: UntrustedText | None = None


class Steps(Reported):
    """The workflow steps, and the first rules."""

    global_steps: list[StepOut]
    workspace_steps: list[StepOut]
    workspace_rules: list[RuleOut]
    rules_total: int = Field(description="Number of active rules; `taskpilot_rule_update` lists them.")
    version: int | None = Field(default=None, description="Version of the step named in `step_name`.")


def _text(result: Steps) -> str:
    own = ", ".join(step.name for step in result.workspace_steps) or "none"
    return f"{len(result.global_steps)} steps as shipped; the workspace's own: {own}."


@tasks.operation(
    "taskpilot_steps",
    title="Show the steps",
    effect=Effect.READ,
    command="steps",
    positional=("step_name",),
    example="holdfast tasks steps finish_task",
    text=_text,
    annotations=PLANNING,
    listed=False,
    result_version="version",
    addresses=(
        Address("GET", "workspaces/{workspace_path}/feedback-steps"),
        Address("GET", "workspaces/{workspace_path}/feedback-steps/{step_name}"),
        Address("GET", "workspaces/{workspace_path}/tool-flows/global-feedback-steps", {"type": "global"}),
    ),
)
def show_steps(room: Tasks, arguments: ShowSteps) -> Steps:
    """Show the texts of the workflow steps, as shipped and as changed by this workspace.

    They are the instructions of the prompts. With `step_name`, one of them in full.
    """
    named = None if arguments.step_name is None else step_texts.parse_step(arguments.step_name)
    with reading(room, arguments) as transaction:
        own = step_texts.own_steps(transaction)
    is_detailed = arguments.response_format == "detailed"
    if named is not None:
        maximum = MAX_STEP_CHARACTERS
    else:
        maximum = _MAX_TEXT_CHARACTERS_DETAILED if is_detailed else _MAX_TEXT_CHARACTERS
    wanted = [name for name in SHIPPED_STEPS if named in (None, name)]
    active_rules = rules.active_rules(room)
    max_rules = _MAX_RULES_SHOWN_DETAILED if is_detailed else _MAX_RULES_SHOWN
    global_steps = [_step_out(name, None, maximum) for name in wanted]
    workspace_steps = [
        _step_out(name, own[name], maximum) for name in wanted if name in own and own[name].active
    ]
    return Steps(
        operation="steps",
        workspace=workspace_ref(transaction.workspace),
        global_steps=[] if arguments.type == "workspace" else global_steps,
        workspace_steps=[] if arguments.type == "global" else workspace_steps,
        workspace_rules=[
            rule_out(rule, shorten(rule.text, _MAX_TEXT_CHARACTERS, tidy=True))
            for rule in active_rules[:max_rules]
        ],
        rules_total=len(active_rules),
        version=None if named is None else own[named].version if named in own else 0,
    )


class UpdateSteps(InSession):
    """A new text for a step."""

    step_name: str = Field(min_length=1, max_length=60, description="Which step, such as finish_task.")
    content: Stored | None = Field(
        default=None,
        max_length=MAX_STEP_CHARACTERS,
        description="The whole new text; variables such as {task_id} are filled in.",
    )
    restore: StrictBool = Field(default=False, description="Restore the shipped text instead.")
    reason: Stored | None = Field(default=None, max_length=1000, description="Why the text changes.")
    if_version: IntegerOrNone = Field(default=None, ge=0, description="Change it only at this version.")


class StepWritten(Reported):
    """A step with its text after the change."""

    step: StepOut
    changed: bool
    uri: str = Field(description="The text as a resource.")


@tasks.operation(
    "taskpilot_update_steps",
    title="Change a step",
    effect=Effect.WRITE,
    idempotent=True,
    command="step",
    positional=("step_name",),
    example='holdfast tasks step finish_task --content "Finish {task_id}: run the tests, then commit."',
    text=lambda result: (
        f"The step {result.step.name} is {'changed' if result.changed else 'unchanged'}"
        f" ({'the workspace has its own text' if result.step.scope == 'workspace' else 'as shipped'},"
        f" version {result.step.version})."
    ),
    annotations=PLANNING,
    listed=False,
    expects_version="if_version",
    result_version="step.version",
    addresses=(
        Address("PUT", "workspaces/{workspace_path}/feedback-steps/{step_name}"),
        Address(
            "DELETE",
            "workspaces/{workspace_path}/feedback-steps/{step_name}",
            {"restore": True},
            takes=frozenset({"if_version"}),
        ),
    ),
)
def update_steps(room: Tasks, arguments: UpdateSteps) -> StepWritten:
    """Override the text of a step for this workspace, or restore the shipped text.

    Prompts and `taskpilot_generate_prompt` use it from then on. Earlier texts stay in the history.
    """
    name = step_texts.parse_step(arguments.step_name)
    if (arguments.content is None) is not arguments.restore:
        raise InvalidArguments("Give either `content` or `restore`.", hint="`content` is the whole new text.")
    with writing(room, arguments) as transaction:
        own, changed = step_texts.write_step(
            transaction, name, arguments.content, reason=arguments.reason, if_version=arguments.if_version
        )
    return StepWritten(
        operation="update_steps",
        workspace=workspace_ref(transaction.workspace),
        step=_step_out(name, own, _MAX_TEXT_CHARACTERS),
        changed=changed,
        uri=f"taskpilot://prompts/{name.replace('_', '-')}",
    )


def _step_out(name: str, own: OwnStep | None, maximum: int) -> StepOut:
    """Return a step with the workspace's own text if that is active, else with the shipped text."""
    active = own if own is not None and own.active else None
    text = SHIPPED_STEPS[name] if active is None else active.body
    return StepOut(
        id=name,  # type: ignore[arg-type]
        name=name,  # type: ignore[arg-type]
        scope="global" if active is None else "workspace",
        template_content=shorten(text, maximum, tidy=True),
        truncated=True if len(text) > maximum else None,
        variables=step_texts.variables_of(name) or None,
        version=0 if own is None else own.version,
        updated_at=None if active is None else timestamp(active.updated_at),
        updated_by=None if active is None else active.updated_by,
    )
