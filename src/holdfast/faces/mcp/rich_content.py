"""Content of the kernel in the protocol's types."""

from __future__ import annotations

import base64

import mcp_types as types

from holdfast.kernel.content import Audio, Content, Embedded, Image, Link, Text
from holdfast.kernel.operation import Operation, Output, PromptMessage, ResourceBody


def result_content(operation: Operation, output: Output) -> list[types.ContentBlock]:
    """Return a result as content blocks: what the operation gives, or its words."""
    if operation.content is None:
        return [types.TextContent(type="text", text=operation.words(output))]
    return [content_block(item) for item in operation.content(output)]


def prompt_message(message: PromptMessage) -> types.PromptMessage:
    """Return a message of a prompt."""
    content = Text(message.content) if isinstance(message.content, str) else message.content
    role: types.Role = "assistant" if message.role == "assistant" else "user"
    return types.PromptMessage(role=role, content=content_block(content))


def content_block(content: Content) -> types.ContentBlock:
    """Return one content block."""
    match content:
        case Text():
            return types.TextContent(type="text", text=content.text)
        case Image():
            return types.ImageContent(type="image", data=_base64(content.data), mime_type=content.mime_type)
        case Audio():
            return types.AudioContent(type="audio", data=_base64(content.data), mime_type=content.mime_type)
        case Embedded():
            body = ResourceBody(content.text, content.data)
            return types.EmbeddedResource(
                type="resource", resource=resource_contents(content.uri, content.mime_type, body)
            )
        case Link():
            return types.ResourceLink(
                type="resource_link",
                uri=content.uri,
                name=content.name,
                mime_type=content.mime_type,
                description=content.description,
            )


def resource_contents(
    uri: str, mime_type: str, body: ResourceBody
) -> types.TextResourceContents | types.BlobResourceContents:
    """Return what a resource holds, as text or as encoded bytes."""
    mime_type = body.mime_type or mime_type
    if body.data is not None:
        return types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=_base64(body.data))
    return types.TextResourceContents(uri=uri, mime_type=mime_type, text=body.text or "")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
