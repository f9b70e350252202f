"""Resources whose contents are files: charts and attachments."""

from __future__ import annotations

from typing import cast, get_args

from holdfast.kernel.errors import UnknownResource
from holdfast.kernel.resource import ResourceBody
from holdfast.tasks.charts.picture import ChartFormat, render
from holdfast.tasks.charts.plots import ChartKind, draw
from holdfast.tasks.resources import TOPIC, complete_from, served_workspace, unknown_resource_if_missing
from holdfast.tasks.store.attachment import is_text, read_content
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import tasks

_KINDS = get_args(ChartKind)
_FORMATS = get_args(ChartFormat)


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/{kind}/chart.{file_format}",
    name="Chart",
    title="📊 Chart",
    description="status, burndown or graph as chart.png or chart.svg",
    mime_type="image/png",
    topic=TOPIC,
    complete={"kind": complete_from(_KINDS), "file_format": complete_from(_FORMATS)},
)
def chart_picture(room: Tasks, workspace_id: str, kind: str, file_format: str) -> ResourceBody:
    """Return a chart as an image."""
    if kind not in _KINDS or file_format not in _FORMATS:
        raise UnknownResource(
            "Resource not found: there is no such chart.",
            hint="Available: status, burndown and graph, each as chart.png and chart.svg.",
        )
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
    drawing, _ = draw(room, cast("ChartKind", kind))
    data, mime_type = render(drawing, cast("ChartFormat", file_format), room.font_cache())
    return ResourceBody(data=data, mime_type=mime_type)


@tasks.resource(
    "taskpilot://workspace/{workspace_id}/attachments/{sha256}",
    name="Attachment",
    title="📎 Attachment",
    description="A file attached to a task",
    mime_type="application/octet-stream",
)
def attachment_content(room: Tasks, workspace_id: str, sha256: str) -> ResourceBody:
    """Return the content of an attachment, as text if its media type is textual and it is UTF-8."""
    with room.reading() as transaction:
        served_workspace(transaction, workspace_id)
        with unknown_resource_if_missing():
            content = read_content(transaction, sha256)
        mime = transaction.execute(
            "SELECT mime FROM attachment WHERE sha256 = :sha256 ORDER BY name LIMIT 1", {"sha256": sha256}
        ).fetchone()[0]
    if is_text(mime):
        try:
            return ResourceBody(text=content.decode(), mime_type=mime)
        except UnicodeDecodeError:
            pass  # text in another encoding is sent as bytes
    return ResourceBody(data=content, mime_type=mime)
