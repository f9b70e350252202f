"""`taskpilot_chart` and `taskpilot_graph`: the state of a workspace as a picture, and the graph as data.

The chart has no output schema on purpose: hosts that find data in a result drop the picture beside it.
"""

from __future__ import annotations

import base64
from typing import Any

from pydantic import Field

from holdfast.kernel.content import Annotations, Content, Image, Link, Text
from holdfast.kernel.models import Integer
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import counted, one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.charts import figures
from holdfast.tasks.charts.picture import PNG_TYPE, ChartFormat, painted
from holdfast.tasks.charts.plots import ChartKind, drawn
from holdfast.tasks.models import Reported, Result, Scoped
from holdfast.tasks.store.session import check_workspace
from holdfast.tasks.store.states import Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.budget import DEFAULT_BYTES, MOST_BYTES, fitting
from holdfast.tasks.view.results import workspace_ref
from holdfast.tasks.view.text import _LINES

MOST_NODES = 500
_USUAL_NODES = 40
_TITLE = 80
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

    _asked: bool = False

    @property
    def file_content(self) -> bytes | None:
        """Return the file itself where its format was asked for: what a command writes to a pipe."""
        return base64.b64decode(self.data) if self._asked else None


def _text(chart: Chart) -> str:
    told = ", ".join(f"{count} {status}" for status, count in chart.counts.items() if count) or "no tasks"
    return f"{one_line(chart.title)}: {told}."


def _on_terminal(chart: Chart) -> str:
    most = max([1, *chart.counts.values()])
    bars = [f"{status:>11}  {'#' * (40 * n // most)} {n}" for status, n in chart.counts.items()]
    told = [f"{one_line(chart.title)}:", *bars] if chart.kind == "status" else [_text(chart)]
    told += [f"As a picture: holdfast tasks chart {chart.kind} --format svg > {chart.kind}.svg"]
    return "\n".join(told)


def _content(chart: Chart) -> list[Content]:
    title = one_line(chart.title)
    picture = Image(base64.b64decode(chart.data), chart.mime_type, FOR_PEOPLE)
    link = Link(chart.uri, f"{chart.kind} chart", chart.mime_type, title, FOR_PEOPLE)
    return [Text(_text(chart)), picture, link]


@tasks.operation(
    "taskpilot_chart",
    title="📊 Draw a chart",
    effect=Effect.READ,
    command="chart",
    positional=("kind",),
    example="holdfast tasks chart burndown --format svg",
    text=_text,
    command_text=_on_terminal,
    content=_content,
    structured=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/chart"),),
)
def chart(room: Tasks, arguments: WantedChart) -> Chart:
    """Draw the tasks by status, the open tasks by day, or what waits for what."""
    check_workspace(room, arguments)
    drawing, counts = drawn(room, arguments.kind)
    data, mime_type = painted(drawing, arguments.format, room.font_cache())
    workspace = room.workspace()
    suffix = "png" if mime_type == PNG_TYPE else "svg"
    made = Chart(
        operation="chart",
        workspace=workspace_ref(workspace),
        kind=arguments.kind,
        mime_type=mime_type,
        uri=f"taskpilot://workspace/{workspace.id}/{arguments.kind}/chart.{suffix}",
        title=drawing.title,
        counts=counts,
        data=base64.b64encode(data).decode(),
    )
    made._asked = arguments.format is not None
    return made


class WantedGraph(Scoped):
    """How much of the graph."""

    limit: Integer = Field(default=_USUAL_NODES, ge=1, le=MOST_NODES, description="Most tasks to return.")


class Node(Result):
    """A task in the graph."""

    id: str
    title: UntrustedText
    status: Status


class Edge(Result):
    """That a task waits for another."""

    task: str
    needs: str


class Graph(Reported):
    """Which task waits for which."""

    nodes: list[Node]
    edges: list[Edge]
    total: int = Field(description="How many tasks there are in all.")
    truncated: bool | None = Field(default=None, description="Set where not all of them are shown.")


def graph_words(found: Any) -> str:
    """Return what waits for what, a line for each task that waits."""
    needs: dict[str, list[str]] = {}
    for edge in found.edges:
        needs.setdefault(edge.task, []).append(edge.needs)
    lines = [f"{task} needs {', '.join(others)}" for task, others in list(needs.items())[:_LINES]]
    more = [f"and {len(needs) - _LINES} more that wait."] if len(needs) > _LINES else []
    edges = counted(len(found.edges), "dependency", "dependencies")
    head = f"{len(found.nodes)} of {found.total} tasks, {edges}."
    return "\n".join([head, *lines, *more])


@tasks.operation(
    "taskpilot_graph",
    title="Show the graph of tasks",
    effect=Effect.READ,
    command="graph",
    example="holdfast tasks graph --json",
    text=graph_words,
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/graph"),),
)
def graph(room: Tasks, arguments: WantedGraph) -> Graph:
    """Return which task waits for which, those that matter to others first.

    `taskpilot_chart` draws the same.
    """
    check_workspace(room, arguments)
    with room.reading() as transaction:
        boxes, needs, total = figures.graph(transaction, arguments.limit)
    most = DEFAULT_BYTES if arguments.limit <= _USUAL_NODES else MOST_BYTES
    nodes = [Node(id=box.id, title=shorten(box.title, _TITLE, tidy=True), status=box.status) for box in boxes]  # type: ignore[arg-type]
    nodes = fitting(nodes, most * 2 // 3)
    shown = {node.id for node in nodes}
    edges = [Edge(task=task, needs=need) for task, need in needs if task in shown and need in shown]
    told = fitting(edges, most // 3)
    return Graph(
        operation="graph",
        workspace=workspace_ref(transaction.workspace),
        nodes=nodes,
        edges=told,
        total=total,
        truncated=True if len(nodes) < total or len(told) < len(edges) else None,
    )
