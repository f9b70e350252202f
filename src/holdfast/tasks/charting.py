"""`taskpilot_chart`: the state of a workspace as a picture.

It has no output schema on purpose: hosts that find data in a result drop the picture beside it.
"""

from __future__ import annotations

import base64
from typing import Literal

from pydantic import Field

from holdfast.kernel.content import Annotations, Content, Image, Link, Text
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.operation import Effect
from holdfast.kernel.resource import Address
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks import figures
from holdfast.tasks.caller import check_workspace
from holdfast.tasks.charts import png, svg
from holdfast.tasks.charts.burndown_chart import burndown_chart
from holdfast.tasks.charts.drawing import Drawing
from holdfast.tasks.charts.graph_chart import MOST_BOXES, graph_chart
from holdfast.tasks.charts.status_chart import status_chart
from holdfast.tasks.models import Reported, Scoped
from holdfast.tasks.store.states import Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.results import workspace_ref

ChartKind = Literal["status", "burndown", "graph"]
ChartFormat = Literal["png", "svg"]

FOR_PEOPLE = Annotations(audience=("user",), priority=0.9)


class WantedChart(Scoped):
    """Which picture to draw."""

    kind: ChartKind = Field(default="status", description="What to show.")
    format: ChartFormat | None = Field(
        default=None, description="File format; png where it can be drawn, else svg."
    )


class Chart(Reported):
    """A picture, and the numbers in it."""

    kind: ChartKind
    mime_type: str
    uri: str = Field(description="Where the same picture can be read as a resource.")
    title: UntrustedText
    counts: dict[Status, int] = Field(description="Tasks by status, as counted for the picture.")
    data: str = Field(description="The file, in Base64.")


def drawn(room: Tasks, kind: ChartKind) -> tuple[Drawing, dict[Status, int]]:
    """Return a chart as shapes, and the counts by status."""
    with room.reading() as connection:
        workspace = room.workspace_in(connection)
        counts = figures.counts_by_status(connection, workspace.id)
        if kind == "burndown":
            days = figures.burndown(connection, workspace.id, room.clock().date())
            return burndown_chart(workspace.name, days), counts
        if kind == "graph":
            boxes, needs, _ = figures.graph(connection, workspace.id, MOST_BOXES)
            return graph_chart(workspace.name, boxes, needs), counts
        return status_chart(workspace.name, counts), counts


def painted(room: Tasks, drawing: Drawing, wanted: ChartFormat | None) -> tuple[bytes, str]:
    """Return a drawing as a file and its type: what was asked for, or the best there is."""
    if wanted != "svg":
        try:
            return png.png(drawing, room.font_cache()), png.MIME_TYPE
        except Unavailable:
            if wanted == "png":
                raise
    return svg.svg(drawing), svg.MIME_TYPE


def _content(chart: Chart) -> list[Content]:
    title = one_line(chart.title)
    told = ", ".join(f"{count} {status}" for status, count in chart.counts.items() if count) or "no tasks"
    picture = Image(base64.b64decode(chart.data), chart.mime_type, FOR_PEOPLE)
    link = Link(chart.uri, f"{chart.kind} chart", chart.mime_type, title, FOR_PEOPLE)
    return [Text(f"{title}: {told}."), picture, link]


@tasks.operation(
    "taskpilot_chart",
    title="📊 Draw a chart",
    effect=Effect.READ,
    command="chart",
    positional=("kind",),
    example="holdfast tasks chart burndown --json",
    text=lambda chart: _content(chart)[0].text,  # type: ignore[union-attr]
    content=_content,
    structured=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/chart"),),
)
def chart(room: Tasks, arguments: WantedChart) -> Chart:
    """Draw the tasks by status, the open tasks by day, or what waits for what."""
    check_workspace(room, arguments)
    drawing, counts = drawn(room, arguments.kind)
    data, mime_type = painted(room, drawing, arguments.format)
    workspace = room.workspace()
    suffix = "png" if mime_type == png.MIME_TYPE else "svg"
    return Chart(
        operation="chart",
        workspace=workspace_ref(workspace),
        kind=arguments.kind,
        mime_type=mime_type,
        uri=f"taskpilot://workspace/{workspace.id}/{arguments.kind}/chart.{suffix}",
        title=drawing.title,
        counts=counts,
        data=base64.b64encode(data).decode(),
    )
