"""Converts operation results, prompt messages and resource contents to the protocol's types."""

from __future__ import annotations

import base64
from contextvars import ContextVar
from typing import Any

import mcp_types as types

from holdfast.faces.mcp.catalogue import protocol_annotations
from holdfast.kernel.content import Audio, Content, ContentAnnotations, Embedded, Image, Link, Text
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Operation
from holdfast.kernel.prompt import PromptMessage
from holdfast.kernel.resource import ResourceBody

DROPPED_FIELDS: ContextVar[dict[str, Any] | None] = ContextVar("holdfast_dropped_fields", default=None)
"""Fields of the current result that the SDK drops although a specification requires them: `contents` for the
contents of a resource, `embedded` by position in the content of a tool's result, and others for the result
itself. The middleware of the server adds them to the answer again."""


def record_dropped_fields(fields: dict[str, Any]) -> None:
    """Record fields that the SDK will drop from the answer of the current request."""
    dropped = DROPPED_FIELDS.get()
    if dropped is not None:
        dropped.update(fields)


def with_dropped_fields(result: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Return a result as it is sent, with the fields that were recorded for it."""
    contents = fields.pop("contents", None)
    if contents is not None:
        result["contents"] = [item | contents for item in result["contents"]]
    for position, resource_fields in fields.pop("embedded", {}).items():
        result["content"][position]["resource"] |= resource_fields
    return result | fields


def result_items(operation: Operation, output: Output) -> list[Content]:
    """Return the content of a result: the items that the operation defines, or else its text."""
    return [Text(operation.as_text(output))] if operation.content is None else operation.content(output)


def embedded_fields(content: list[Content]) -> dict[str, Any]:
    """Return the titles and annotations of embedded resources by position; the SDK has no fields for them."""
    fields = {
        position: _title_and_annotations(item.title, item.annotations)
        for position, item in enumerate(content)
        if isinstance(item, Embedded)
    }
    return {"embedded": fields} if any(fields.values()) else {}


def _title_and_annotations(title: str | None, annotations: ContentAnnotations | None) -> dict[str, Any]:
    converted = protocol_annotations(annotations)
    fields = {} if title is None else {"title": title}
    if converted is None:
        return fields
    return fields | {"annotations": converted.model_dump(mode="json", by_alias=True, exclude_none=True)}


def prompt_message(message: PromptMessage) -> types.PromptMessage:
    """Return a message in the protocol's type, which has only the roles of a user and an assistant."""
    content = Text(message.content) if isinstance(message.content, str) else message.content
    role: types.Role = "assistant" if message.role == "assistant" else "user"
    return types.PromptMessage(role=role, content=content_block(content))


def content_block(content: Content) -> types.ContentBlock:
    """Return one item of content in the protocol's type."""
    match content:
        case Text():
            return types.TextContent(type="text", text=content.text)
        case Image() | Audio():
            block_type = types.ImageContent if isinstance(content, Image) else types.AudioContent
            return block_type(
                data=_base64(content.data),
                mime_type=content.mime_type,
                annotations=protocol_annotations(content.annotations),
            )
        case Embedded():
            body = ResourceBody(content.text, content.data)
            return types.EmbeddedResource(
                type="resource",
                resource=resource_contents(content.uri, content.mime_type, body),
                annotations=protocol_annotations(content.annotations),
            )
        case Link():
            return types.ResourceLink(
                type="resource_link",
                uri=content.uri,
                name=content.name,
                mime_type=content.mime_type,
                description=content.description,
                annotations=protocol_annotations(content.annotations),
            )


def resource_contents(
    uri: str, mime_type: str, body: ResourceBody
) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the content of a resource, as text or as Base64; its own media type wins over `mime_type`."""
    mime_type = body.mime_type or mime_type
    if body.data is not None:
        return types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=_base64(body.data))
    return types.TextResourceContents(uri=uri, mime_type=mime_type, text=body.text or "")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
