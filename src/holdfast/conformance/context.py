"""Resources the suite reads, and prompts it fills."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from holdfast.conformance.questions import form
from holdfast.conformance.toolset import conformance, red_pixel
from holdfast.kernel.call import current_call
from holdfast.kernel.content import Embedded, Image
from holdfast.kernel.operation import Input, NoArguments, PromptMessage
from holdfast.kernel.resource import ResourceBody

_PLACES = ("paris", "park", "party")


class TwoArguments(Input):
    """The arguments of a prompt that has some."""

    arg1: str = Field(description="First test argument")
    arg2: str = Field(description="Second test argument")


class Address(Input):
    """The resource a prompt embeds."""

    resource_uri: str = Field(alias="resourceUri", description="URI of the resource to embed")


@conformance.prompt("test_simple_prompt", title="Simple prompt")
def simple_prompt(room: Any, args: NoArguments) -> list[PromptMessage]:
    """Say one sentence."""
    del room, args
    return [PromptMessage("This is a simple prompt for testing.")]


@conformance.prompt(
    "test_prompt_with_arguments",
    title="Prompt with arguments",
    complete={"arg1": lambda _, typed: [place for place in _PLACES if place.startswith(typed)]},
)
def prompt_with_arguments(room: Any, args: TwoArguments) -> list[PromptMessage]:
    """Repeat the arguments."""
    del room
    return [PromptMessage(f"Prompt with arguments: arg1='{args.arg1}', arg2='{args.arg2}'")]


@conformance.prompt("test_prompt_with_embedded_resource", title="Prompt with a resource")
def prompt_with_resource(room: Any, args: Address) -> list[PromptMessage]:
    """Embed a resource."""
    del room
    embedded = Embedded(args.resource_uri, "text/plain", "Embedded resource content for testing.")
    return [PromptMessage(embedded), PromptMessage("Please process the embedded resource above.")]


@conformance.prompt("test_prompt_with_image", title="Prompt with a picture")
def prompt_with_image(room: Any, args: NoArguments) -> list[PromptMessage]:
    """Show a picture."""
    del room, args
    return [PromptMessage(Image(red_pixel())), PromptMessage("Please analyze the image above.")]


@conformance.prompt("test_input_required_result_prompt", title="Prompt that asks")
def prompt_that_asks(room: Any, args: NoArguments) -> list[PromptMessage]:
    """Ask a person before it is filled."""
    del room, args
    question = form("What context should the prompt use?", context={"type": "string"})
    answer = current_call().ask({"user_context": question})["user_context"]
    return [PromptMessage(f"Use this context: {answer.get('content', {}).get('context', 'none')}")]


@conformance.resource("test://static-text", name="Static text", description="A text that never changes.")
def static_text(room: Any) -> str:
    """Return the text."""
    del room
    return "This is the content of the static text resource."


@conformance.resource(
    "test://static-binary", name="Static picture", description="A red pixel.", mime_type="image/png"
)
def static_binary(room: Any) -> ResourceBody:
    """Return the picture."""
    del room
    return ResourceBody(data=red_pixel())


@conformance.resource(
    "test://template/{id}/data", name="Data", description="Data by id.", mime_type="application/json"
)
def template_data(room: Any, id: str) -> str:  # noqa: A002 - the name in the address
    """Return data that names its id."""
    del room
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"}, separators=(",", ":"))


@conformance.resource("test://watched-resource", name="Watched", description="A resource to subscribe to.")
def watched(room: Any) -> str:
    """Return a text."""
    del room
    return "Watched resource content."
