"""Resources the suite reads."""

from __future__ import annotations

import json
from typing import Any

from holdfast.conformance.toolset import conformance, red_pixel
from holdfast.kernel.resource import ResourceBody


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
