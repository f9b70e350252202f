"""Tools that ask the client something before they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from holdfast.conformance.toolset import Said, fixture
from holdfast.kernel.call import current_call
from holdfast.kernel.operation import Input, NoArguments
from holdfast.kernel.questions import Form, Question, Roots, Sample


def form(message: str, required: bool = True, **properties: Mapping[str, Any]) -> Form:
    """Return a form with these fields."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(properties)
    return Form(message, schema)


NAME = form("What is your name?", name={"type": "string"})


class Message(Input):
    """What to show a person."""

    message: str = Field(description="The message to show.")


class Prompt(Input):
    """What to ask a model."""

    prompt: str = Field(description="The prompt to send.")


@fixture("test_sampling", title="Sampling")
def sampling(room: Any, args: Prompt) -> Said:
    """Ask the client's model."""
    del room
    answer = current_call().ask({"response": Sample(args.prompt, max_tokens=100)})["response"]
    return Said(text=f"LLM response: {_sampled(answer)}")


@fixture("test_elicitation", title="Elicitation")
def elicitation(room: Any, args: Message) -> Said:
    """Ask a person."""
    del room
    question = form(
        args.message,
        username={"type": "string", "description": "User's response"},
        email={"type": "string", "description": "User's email address"},
    )
    return Said(text=f"User response: {_told(current_call().ask({'user': question})['user'])}")


@fixture("test_elicitation_sep1034_defaults", title="Elicitation with defaults")
def elicitation_defaults(room: Any, args: NoArguments) -> Said:
    """Ask a person, with a value in every field."""
    del room, args
    question = form(
        "Please review the values.",
        required=False,
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return Said(text=f"Elicitation completed: {_told(current_call().ask({'values': question})['values'])}")


@fixture("test_elicitation_sep1330_enums", title="Elicitation with choices")
def elicitation_enums(room: Any, args: NoArguments) -> Said:
    """Ask a person to choose, in each of the five ways."""
    del room, args
    plain = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"}
        for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    chosen = [
        {"const": f"value{n}", "title": f"{word} Choice"}
        for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    question = form(
        "Please choose.",
        required=False,
        untitledSingle={"type": "string", "enum": plain},
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti={"type": "array", "items": {"type": "string", "enum": plain}},
        titledMulti={"type": "array", "items": {"anyOf": chosen}},
    )
    return Said(text=f"Elicitation completed: {_told(current_call().ask({'choice': question})['choice'])}")


@fixture("test_streaming_elicitation", title="Elicitation on a stream")
def streaming_elicitation(room: Any, args: NoArguments) -> Said:
    """Report progress, then ask a person."""
    del room, args
    current_call().progress(1, 2)
    return Said(text=f"Hello, {_field(current_call().ask({'user_name': NAME})['user_name'], 'name')}!")


@fixture("test_missing_capability", title="Missing capability")
def missing_capability(room: Any, args: NoArguments) -> Said:
    """Ask a model, whether or not the client has one."""
    del room, args
    answer = current_call().ask({"response": Sample("Say something.", max_tokens=10)})["response"]
    return Said(text=_sampled(answer))


@fixture("test_input_required_result_elicitation", title="Ask a person")
def input_elicitation(room: Any, args: NoArguments) -> Said:
    """Ask for a name and greet."""
    del room, args
    return Said(text=f"Hello, {_field(current_call().ask({'user_name': NAME})['user_name'], 'name')}!")


@fixture("test_input_required_result_sampling", title="Ask a model")
def input_sampling(room: Any, args: NoArguments) -> Said:
    """Ask the client's model."""
    del room, args
    question = Sample("What is the capital of France?", max_tokens=100)
    return Said(text=_sampled(current_call().ask({"capital_question": question})["capital_question"]))


@fixture("test_input_required_result_list_roots", title="Ask for folders")
def input_roots(room: Any, args: NoArguments) -> Said:
    """Ask which folders the client has open."""
    del room, args
    answer = current_call().ask({"client_roots": Roots()})["client_roots"]
    return Said(text=f"Roots: {', '.join(root['uri'] for root in answer['roots'])}")


@fixture("test_input_required_result_request_state", title="Keep state")
def input_request_state(room: Any, args: NoArguments) -> Said:
    """Ask for a confirmation, with state that has to come back whole."""
    del room, args
    current_call().ask({"confirm": form("Please confirm", ok={"type": "boolean"})})
    return Said(text="Confirmed: state-ok")


@fixture("test_input_required_result_tampered_state", title="Refuse changed state")
def input_tampered_state(room: Any, args: NoArguments) -> Said:
    """Ask for a confirmation; state that was changed on the way is refused before this runs."""
    del room, args
    current_call().ask({"confirm": form("Please confirm", ok={"type": "boolean"})})
    return Said(text="Confirmed")


@fixture("test_input_required_result_multiple_inputs", title="Ask several things at once")
def input_multiple(room: Any, args: NoArguments) -> Said:
    """Ask a person, a model and for folders, all at once."""
    del room, args
    answers = current_call().ask(
        {"user_name": NAME, "greeting": Sample("Generate a greeting", max_tokens=50), "client_roots": Roots()}
    )
    return Said(text=f"{_sampled(answers['greeting'])}, {_field(answers['user_name'], 'name')}")


@fixture("test_input_required_result_multi_round", title="Ask in rounds")
def input_rounds(room: Any, args: NoArguments) -> Said:
    """Ask one thing, then another."""
    del room, args
    first = form("Step 1: What is your name?", name={"type": "string"})
    name = _field(current_call().ask({"step1": first})["step1"], "name")
    second = form("Step 2: What is your favorite color?", color={"type": "string"})
    color = _field(current_call().ask({"step2": second})["step2"], "color")
    return Said(text=f"{name} likes {color}.")


@fixture("test_input_required_result_capabilities", title="Ask what can be answered")
def input_capabilities(room: Any, args: NoArguments) -> Said:
    """Ask only what the client can answer."""
    del room, args
    questions: dict[str, Question] = {
        "user_name": NAME,
        "greeting": Sample("Generate a greeting", max_tokens=50),
    }
    answerable = {
        key: question for key, question in questions.items() if current_call().can_ask(question.needs)
    }
    answers = current_call().ask(answerable) if answerable else {}
    return Said(text=f"Answered: {', '.join(sorted(answers))}")


def _told(answer: dict[str, Any]) -> str:
    return f"action={answer['action']}, content={json.dumps(answer.get('content', {}))}"


def _field(answer: dict[str, Any], name: str) -> str:
    return str(answer.get("content", {}).get(name, "nobody"))


def _sampled(answer: dict[str, Any]) -> str:
    return str(answer["content"].get("text", ""))
