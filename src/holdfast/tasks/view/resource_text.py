"""Documents that resources hold, with the fields that a specification puts beside them."""

from __future__ import annotations

import json
from typing import Any

from holdfast.kernel.resource import ResourceBody
from holdfast.kernel.untrusted import visible, visible_in

JSON = "application/json"


def json_body(
    document: Any, *, name: str, title: str | None = None, last_modified: str | None = None
) -> ResourceBody:
    """Return a document as the contents of a resource."""
    text = json.dumps(visible_in(document), ensure_ascii=False, indent=2)
    return ResourceBody(text=text, mime_type=JSON, fields=beside(name, title, last_modified))


def markdown_body(text: str, *, name: str, title: str | None = None) -> ResourceBody:
    """Return words as the contents of a resource."""
    return ResourceBody(text=visible(text), mime_type="text/markdown", fields=beside(name, title, None))


def beside(name: str, title: str | None, last_modified: str | None) -> dict[str, Any]:
    """Return the fields that stand beside the contents."""
    fields: dict[str, Any] = {"name": name}
    if title is not None:
        fields["title"] = title
    if last_modified is not None:
        fields["annotations"] = {"audience": ["user", "assistant"], "lastModified": last_modified}
    return fields
