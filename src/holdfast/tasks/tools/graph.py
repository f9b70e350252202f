"""`taskpilot_graph`: which task waits for which."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.kernel.resource import Address
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks import figures
from holdfast.tasks.caller import check_workspace
from holdfast.tasks.models import Reported, Result, Scoped
from holdfast.tasks.store.states import Status
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.budget import DEFAULT_BYTES, MOST_BYTES, fitting
from holdfast.tasks.view.results import (
    workspace_ref,
)
from holdfast.tasks.view.text import _LINES

MOST_NODES = 500
_USUAL_NODES = 40
_TITLE = 80


class WantedGraph(Scoped):
    """How much of the graph."""

    limit: int = Field(default=_USUAL_NODES, ge=1, le=MOST_NODES, description="Most tasks to return.")


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
    head = f"{len(found.nodes)} of {found.total} tasks, {len(found.edges)} dependencies."
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
    with room.reading() as connection:
        workspace = room.workspace_in(connection)
        boxes, needs, total = figures.graph(connection, workspace.id, arguments.limit)
    most = DEFAULT_BYTES if arguments.limit <= _USUAL_NODES else MOST_BYTES
    nodes = [Node(id=box.id, title=shorten(box.title, _TITLE, tidy=True), status=box.status) for box in boxes]  # type: ignore[arg-type]
    nodes = fitting(nodes, most * 2 // 3)
    shown = {node.id for node in nodes}
    edges = [Edge(task=task, needs=need) for task, need in needs if task in shown and need in shown]
    told = fitting(edges, most // 3)
    return Graph(
        operation="graph",
        workspace=workspace_ref(workspace),
        nodes=nodes,
        edges=told,
        total=total,
        truncated=True if len(nodes) < total or len(told) < len(edges) else None,
    )
