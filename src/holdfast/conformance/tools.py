"""Tools that answer, fail, report and tell of changes."""

from __future__ import annotations

import time
from typing import Any, Literal

from pydantic import Field

from holdfast.conformance.toolset import Said, fixture, red_pixel, silence
from holdfast.kernel.call import current_call
from holdfast.kernel.content import Audio, Embedded, Image, Text
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.operation import Effect, Input, NoArguments

_STEP_SECONDS = 0.05


class IntentionalFailure(HoldfastError):
    """The failure a fixture was asked for."""

    kind = "intentional_failure"
    number = 4991


@fixture("test_simple_text", title="Simple text")
def simple_text(room: Any, args: NoArguments) -> Said:
    """Answer with one text."""
    del room, args
    return Said(text="This is a simple text response for testing.")


@fixture("test_image_content", title="Image", content=lambda _: [Image(red_pixel())])
def image_content(room: Any, args: NoArguments) -> Said:
    """Answer with a picture."""
    del room, args
    return Said(text="A red pixel.")


@fixture("test_audio_content", title="Audio", content=lambda _: [Audio(silence())])
def audio_content(room: Any, args: NoArguments) -> Said:
    """Answer with a sound."""
    del room, args
    return Said(text="Silence.")


@fixture(
    "test_embedded_resource",
    title="Embedded resource",
    content=lambda result: [Embedded("test://embedded-resource", "text/plain", result.text)],
)
def embedded_resource(room: Any, args: NoArguments) -> Said:
    """Answer with a resource and its contents."""
    del room, args
    return Said(text="This is an embedded resource content.")


@fixture(
    "test_multiple_content_types",
    title="Mixed content",
    content=lambda result: [
        Text(result.text),
        Image(red_pixel()),
        Embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
)
def multiple_content_types(room: Any, args: NoArguments) -> Said:
    """Answer with a text, a picture and a resource."""
    del room, args
    return Said(text="Multiple content types test:")


@fixture("test_error_handling", title="Error")
def error_handling(room: Any, args: NoArguments) -> Said:
    """Fail on purpose."""
    del room, args
    raise IntentionalFailure("This tool intentionally returns an error for testing")


@fixture("test_tool_with_progress", title="Progress")
def tool_with_progress(room: Any, args: NoArguments) -> Said:
    """Report progress in three steps."""
    del room, args
    for done in (0, 50, 100):
        current_call().progress(done, 100)
        time.sleep(_STEP_SECONDS)
    return Said(text="Progress was reported.")


@fixture("test_tool_with_logging", title="Logging")
def tool_with_logging(room: Any, args: NoArguments) -> Said:
    """Send three log messages while it runs."""
    del room, args
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        current_call().log(text)
        time.sleep(_STEP_SECONDS)
    return Said(text="Log messages were sent.")


@fixture("test_logging_tool", title="Logging on request")
def logging_tool(room: Any, args: NoArguments) -> Said:
    """Send a log message, which only reaches requests that asked for its level."""
    del room, args
    current_call().log("A message at level info")
    return Said(text="A log message was offered.")


@fixture("test_trigger_tool_change", title="Tools changed", effect=Effect.WRITE)
def trigger_tool_change(room: Any, args: NoArguments) -> Said:
    """Tell clients that the list of tools has changed."""
    del room, args
    current_call().changed("tools")
    return Said(text="The change of the tools was announced.")


@fixture("test_trigger_prompt_change", title="Prompts changed", effect=Effect.WRITE)
def trigger_prompt_change(room: Any, args: NoArguments) -> Said:
    """Tell clients that the list of prompts has changed."""
    del room, args
    current_call().changed("prompts")
    return Said(text="The change of the prompts was announced.")


class Region(Input):
    """An argument that clients mirror into a header."""

    region: str = Field("", description="A region.", json_schema_extra={"x-mcp-header": "Region"})


@fixture("test_custom_header", title="Custom header")
def custom_header(room: Any, args: Region) -> Said:
    """Take an argument that is also sent as a header."""
    del room
    return Said(text=f"Region: {args.region}")


_SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class Contact(Input):
    """Arguments whose schema uses the whole vocabulary of JSON Schema 2020-12."""

    name: str | None = Field(None, description="A name.")
    address: dict[str, str] | None = Field(None, description="An address.")
    contact_method: Literal["phone", "email"] | None = Field(
        None, alias="contactMethod", description="How to reach them."
    )
    phone: str | None = Field(None, description="A number.")
    email: str | None = Field(None, description="An address for mail.")

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        """Return the schema the suite expects to see untouched."""
        return dict(_SCHEMA_2020_12)


@fixture("json_schema_2020_12_tool", title="JSON Schema 2020-12")
def json_schema_tool(room: Any, args: Contact) -> Said:
    """Take arguments described in the whole vocabulary of JSON Schema 2020-12."""
    del room
    return Said(text=f"Contact: {args.name}")
