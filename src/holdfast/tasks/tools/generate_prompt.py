"""`taskpilot_generate_prompt`, and prompts as resources, both for hosts that do not support prompts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, UnknownResource, did_you_mean
from holdfast.kernel.models import NoArguments
from holdfast.kernel.operation import Effect
from holdfast.kernel.prompt import Prompt
from holdfast.kernel.resource import ListedResource, ResourceBody
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks import prompts
from holdfast.tasks.caller import check_workspace
from holdfast.tasks.models import Reported, Result, Scoped
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts.flows import FLOWS
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS
from holdfast.tasks.texts.step_texts import fill_in, own_text
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.resource_text import markdown_body
from holdfast.tasks.view.results import workspace_ref

_STEP_AFTER_TOOL: dict[str, str] = {
    tool.removeprefix("taskpilot_"): step for tool, (step, _) in FLOWS.items()
}
_PROMPTS_URI = "taskpilot://prompts/"
_INIT_SUCCESS = "init-success"
_PLACEHOLDER_VALUES = {"task_id": "TASK", "gate": "the done gate", "session": "your session"}
"""What a prompt as a resource has in place of task data."""


class GeneratePrompt(Scoped):
    """The prompt to generate, and its arguments."""

    operation: str = Field(
        min_length=1, max_length=60, description="Name of a prompt, or of the tool it follows, such as focus."
    )
    context: dict[str, Any] = Field(
        default={}, description='Arguments of the prompt, such as {"task_id": "TP-12"}.'
    )


class PromptText(Result):
    """One message of a prompt."""

    role: Literal["user", "assistant"]
    content: UntrustedText


class GeneratedPrompt(Reported):
    """A prompt, filled in."""

    prompt: str
    title: str
    description: str
    messages: list[PromptText]


def prompt_summary(result: GeneratedPrompt) -> str:
    """Return the name and length of the prompt; its text is in the data only."""
    length = sum(len(message.content) for message in result.messages)
    return f"Prompt {result.prompt} ({one_line(result.title)}), {length} characters."


@tasks.operation(
    "taskpilot_generate_prompt",
    title="Generate a prompt",
    effect=Effect.READ,
    command="prompt",
    positional=("operation",),
    example="""holdfast tasks prompt start_task --context '{"task_id": "TP-1"}'""",
    text=prompt_summary,
    command_text=lambda result: "\n\n".join(message.content for message in result.messages),
    annotations=PLANNING,
    listed=False,
)
def generate_prompt(room: Tasks, arguments: GeneratePrompt) -> GeneratedPrompt:
    """Generate a prompt for an operation: the same text as the prompt of that name, filled with task data."""
    check_workspace(room, arguments)
    prompt = find_prompt(arguments.operation)
    try:
        context = validate_arguments(prompt.input, arguments.context)
    except InvalidArguments as refusal:
        refusal.hint = "Give the prompt's arguments in `context`."
        raise
    return GeneratedPrompt(
        operation="generate_prompt",
        workspace=workspace_ref(room.workspace()),
        prompt=prompt.name,
        title=prompt.title,
        description=prompt.description,
        messages=[
            PromptText(role="user", content=str(message.content))
            for message in prompt.function(room, context)
        ],
    )


def find_prompt(name: str) -> Prompt:
    """Return the prompt with this name, or the prompt of the step that follows the tool with this name."""
    canonical = name.strip().lower().replace("-", "_").removeprefix("taskpilot_")
    prompts_by_name = {prompt.name: prompt for prompt in tasks.prompts}
    prompt = prompts_by_name.get(canonical) or prompts_by_name.get(_STEP_AFTER_TOOL.get(canonical, ""))
    if prompt is None:
        raise InvalidArguments(f"There is no prompt {name!a}.", hint=did_you_mean(canonical, prompts_by_name))
    return prompt


def _list_prompts(_room: Tasks) -> list[ListedResource]:
    """Return the prompts as resources, without the one that the specification names, which is fixed."""
    return [
        ListedResource(
            f"{_PROMPTS_URI}{name}", prompt.title, prompt.description.partition("\n")[0], "text/markdown"
        )
        for prompt in tasks.prompts
        if (name := prompt.name.replace("_", "-")) != _INIT_SUCCESS
    ]


@tasks.resource(
    f"{_PROMPTS_URI}{_INIT_SUCCESS}",
    name="Initialization Success Prompt",
    title="🚀 After creating a workspace",
    description="User-oriented prompt for successful workspace initialization",
    mime_type="text/markdown",
    topic="tasks",
    specified=True,
)
def init_success(room: Tasks) -> ResourceBody:
    """Return the prompt to use after creating a workspace."""
    text = str(prompts.init_success(room, NoArguments())[0].content)
    return markdown_body(text, name="Initialization Success Prompt")


@tasks.resource(
    f"{_PROMPTS_URI}{{name}}",
    name="Prompts",
    description="The instructions of a prompt, without task data",
    mime_type="text/markdown",
    topic="tasks/:steps",
    list_topic="tasks/*",
    members=_list_prompts,
    complete={"name": lambda _, typed: [item for item in _prompt_names() if item.startswith(typed)]},
)
def prompt_text(room: Tasks, name: str) -> ResourceBody:
    """Return the instructions of a prompt."""
    step = name.replace("-", "_")
    text = own_text(room, step) or SHIPPED_STEPS.get(step)
    if text is None:
        hint, uri = did_you_mean(name, _prompt_names()), f"{_PROMPTS_URI}{name}"
        raise UnknownResource(f"Resource not found: {_PROMPTS_URI}{name[:60]}", hint=hint, uri=uri)
    return markdown_body(fill_in(text, _PLACEHOLDER_VALUES), name=name)


def _prompt_names() -> list[str]:
    return [prompt.name.replace("_", "-") for prompt in tasks.prompts]
