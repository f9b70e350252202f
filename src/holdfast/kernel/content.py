"""The types of content in tool results and prompts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContentAnnotations:
    """The audience of some content, its priority, and when it last changed."""

    audience: tuple[str, ...] = ()
    priority: float | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Text:
    """Text."""

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
    """A resource with its contents."""

    uri: str
    mime_type: str
    text: str | None = None
    data: bytes | None = None
    title: str | None = None
    annotations: ContentAnnotations | None = None


@dataclass(frozen=True)
class Link:
    """A link to a resource."""

    uri: str
    name: str
    mime_type: str | None = None
    description: str | None = None
    annotations: ContentAnnotations | None = None


Content = Text | Image | Audio | Embedded | Link
