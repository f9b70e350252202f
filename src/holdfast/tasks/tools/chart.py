"""`taskpilot_chart` and `taskpilot_graph`: charts as pictures, and the dependency graph as data.

The chart has no output schema, because some hosts drop images from results that have structured content.
"""

from __future__ import annotations

import base64

from pydantic import Field

from holdfast.kernel.content import Content, ContentAnnotations, Image, Link, Text
from holdfast.kernel.models import Integer
from holdfast.kernel.operation import Effect
from holdfast.kernel.route import Address
from holdfast.kernel.text import counted, one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import check_workspace
from holdfast.tasks.charts import figures
from holdfast.tasks.charts.picture import PNG_TYPE, ChartFormat, render
from holdfast.tasks.charts.plots import ChartKind, draw
from holdfast.tasks.models import Reported, Result, Scoped
from holdfast.tasks.store.states import Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.budget import DEFAULT_BYTES, MAX_BYTES, fit_items
from holdfast.tasks.view.results import workspace_ref
from holdfast.tasks.view.text import MAX_LINES

_MAX_NODES = 500
"""The most tasks that a caller may request. A judgement: about as many as fit the largest budget."""
_DEFAULT_NODES = 40
"""A judgement: so many tasks fit the default budget of a result (`view/budget.py`)."""
_MAX_TITLE_CHARACTERS = 80
"""A judgement: enough to recognise a task, so that more tasks fit."""
_BAR_CHARACTERS = 40
"""The longest bar on a terminal, half of the usual 80 columns."""
_FOR_PEOPLE = ContentAnnotations(audience=("user",), priority=0.9)


class WantedChart(Scoped):
    """The chart to draw."""

    kind: ChartKind = Field(default="status", description="What to show.")
    format: ChartFormat | None = Field(
        default=None, description="File format; by default png if available, else svg."
    )


class Chart(Reported):
    """A picture, and the numbers in it."""

    kind: ChartKind
    mime_type: str
    uri: str = Field(description="The same picture as a resource.")
    title: UntrustedText
    counts: dict[Status, int] = Field(description="Number of tasks by status.")
    data: str = Field(description="The file, in Base64.")

    _was_format_given: bool = False

    @property
    def file_content(self) -> bytes | None:
        """The picture if a format was requested; the command line then writes it to a pipe."""
        return base64.b64decode(self.data) if self._was_format_given else None


def _text(chart: Chart) -> str:
    counts = ", ".join(f"{count} {status}" for status, count in chart.counts.items() if count) or "no tasks"
    return f"{one_line(chart.title)}: {counts}."


def _terminal_text(chart: Chart) -> str:
    """Return the chart by status as bars of `#`, any other as a sentence, and how to get the picture."""
    maximum = max([1, *chart.counts.values()])
    bars = [
        f"{status:>11}  {'#' * (_BAR_CHARACTERS * n // maximum)} {n}" for status, n in chart.counts.items()
    ]
    lines = [f"{one_line(chart.title)}:", *bars] if chart.kind == "status" else [_text(chart)]
    lines += [f"As a picture: holdfast tasks chart {chart.kind} --format svg > {chart.kind}.svg"]
    return "\n".join(lines)


def _content(chart: Chart) -> list[Content]:
    title = one_line(chart.title)
    picture = Image(base64.b64decode(chart.data), chart.mime_type, _FOR_PEOPLE)
    link = Link(chart.uri, f"{chart.kind} chart", chart.mime_type, title, _FOR_PEOPLE)
    return [Text(_text(chart)), picture, link]


@tasks.operation(
    "taskpilot_chart",
    title="📊 Draw a chart",
    effect=Effect.READ,
    command="chart",
    positional=("kind",),
    example="holdfast tasks chart burndown --format svg",
    text=_text,
    command_text=_terminal_text,
    content=_content,
    listed=False,
    structured=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/chart"),),
)
def chart(room: Tasks, arguments: WantedChart) -> Chart:
    """Draw the tasks by status, the open tasks by day, or the dependency graph."""
    check_workspace(room, arguments)
    drawing, counts = draw(room, arguments.kind)
    data, mime_type = render(drawing, arguments.format, room.font_cache())
    workspace = room.workspace()
    suffix = "png" if mime_type == PNG_TYPE else "svg"
    result = Chart(
        operation="chart",
        workspace=workspace_ref(workspace),
        kind=arguments.kind,
        mime_type=mime_type,
        uri=f"taskpilot://workspace/{workspace.id}/{arguments.kind}/chart.{suffix}",
        title=drawing.title,
        counts=counts,
        data=base64.b64encode(data).decode(),
    )
    result._was_format_given = arguments.format is not None
    return result


class WantedGraph(Scoped):
    """The size of the graph to return."""

    limit: Integer = Field(
        default=_DEFAULT_NODES, ge=1, le=_MAX_NODES, description="Maximum number of tasks."
    )


class Node(Result):
    """A task in the graph."""

    id: str
    title: UntrustedText
    status: Status


class Edge(Result):
    """A task, and another that it waits for."""

    task: str
    needs: str


class Graph(Reported):
    """The dependency graph."""

    nodes: list[Node]
    edges: list[Edge]
    total: int = Field(description="Number of all tasks.")
    truncated: bool | None = Field(default=None, description="Set if not all of it is shown.")


def _graph_text(graph: Graph) -> str:
    needs: dict[str, list[str]] = {}
    for edge in graph.edges:
        needs.setdefault(edge.task, []).append(edge.needs)
    lines = [f"{task} needs {', '.join(others)}" for task, others in list(needs.items())[:MAX_LINES]]
    more = [f"and {len(needs) - MAX_LINES} more waiting tasks."] if len(needs) > MAX_LINES else []
    edges = counted(len(graph.edges), "dependency", "dependencies")
    head = f"{len(graph.nodes)} of {graph.total} tasks, {edges}."
    return "\n".join([head, *lines, *more])


@tasks.operation(
    "taskpilot_graph",
    title="Show the dependency graph",
    effect=Effect.READ,
    command="graph",
    example="holdfast tasks graph --json",
    text=_graph_text,
    listed=False,
    annotations=READING,
    addresses=(Address("GET", "workspaces/{workspace_path}/graph"),),
)
def graph(room: Tasks, arguments: WantedGraph) -> Graph:
    """Return which task waits for which, open tasks with dependencies first.

    `taskpilot_chart` draws the same graph.
    """
    check_workspace(room, arguments)
    with room.reading() as transaction:
        found = figures.dependency_graph(transaction, arguments.limit)
    maximum = DEFAULT_BYTES if arguments.limit <= _DEFAULT_NODES else MAX_BYTES
    nodes = [
        Node(id=box.id, title=shorten(box.title, _MAX_TITLE_CHARACTERS, tidy=True), status=box.status)
        for box in found.boxes
    ]
    nodes = fit_items(nodes, maximum * 2 // 3)
    shown = {node.id for node in nodes}
    edges = [Edge(task=task, needs=needed) for task, needed in found.edges if {task, needed} <= shown]
    shown_edges = fit_items(edges, maximum // 3)
    return Graph(
        operation="graph",
        workspace=workspace_ref(transaction.workspace),
        nodes=nodes,
        edges=shown_edges,
        total=found.total,
        truncated=True if len(nodes) < found.total or len(shown_edges) < len(edges) else None,
    )
