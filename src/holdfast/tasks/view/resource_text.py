"""Builds the contents of resources, with the metadata fields that the TaskPilot specification adds."""

from __future__ import annotations

import json
from typing import Any

from holdfast.kernel.resource import ResourceBody
from holdfast.kernel.untrusted import visible, visible_in

JSON = "application/json"


def json_body(
    document: Any, *, name: str, title: str | None = None, last_modified: str | None = None
) -> ResourceBody:
    """Return a document as the JSON contents of a resource."""
    text = json.dumps(visible_in(document), ensure_ascii=False, indent=2)
    return ResourceBody(text=text, mime_type=JSON, fields=_metadata(name, title, last_modified))


def markdown_body(text: str, *, name: str, title: str | None = None) -> ResourceBody:
    """Return a text as the Markdown contents of a resource."""
    return ResourceBody(text=visible(text), mime_type="text/markdown", fields=_metadata(name, title, None))


def _metadata(name: str, title: str | None, last_modified: str | None) -> dict[str, Any]:
    """Return the metadata fields that accompany the contents."""
    fields: dict[str, Any] = {"name": name}
    if title is not None:
        fields["title"] = title
    if last_modified is not None:
        fields["annotations"] = {"audience": ["user", "assistant"], "lastModified": last_modified}
    return fields
