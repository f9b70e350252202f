"""The types of content in tool results and prompts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContentAnnotations:
    """Advice for clients about some content (the `Annotations` of MCP)."""

    audience: tuple[str, ...] = ()
    """Whom it is for: `user`, `assistant` or both."""
    priority: float | None = None
    """From 0, which can be left out, to 1, which is required."""
    last_modified: str | None = None
    """The time of the last change, as RFC 3339."""


@dataclass(frozen=True)
class Text:
    """Content that is text."""

    text: str


@dataclass(frozen=True)
class Image:
    """An image."""

    data: bytes
    mime_type: str = "image/png"
    annotations: ContentAnnotations | None = None


@dataclass(frozen=True)
class Audio:
    """An audio recording."""

    data: bytes
    mime_type: str = "audio/wav"
    annotations: ContentAnnotations | None = None


@dataclass(frozen=True)
class Embedded:
    """A resource with its contents: either `text` or `data`."""

    uri: str
    mime_type: str
    text: str | None = None
    data: bytes | None = None
    title: str | None = None
    annotations: ContentAnnotations | None = None


@dataclass(frozen=True)
class Link:
    """A link to a resource that the client can read."""

    uri: str
    name: str
    mime_type: str | None = None
    description: str | None = None
    annotations: ContentAnnotations | None = None


Content = Text | Image | Audio | Embedded | Link
