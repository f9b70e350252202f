"""`draw_dependency_graph`: a drawing of the import graph, and a list of its cycles."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.graph.cycles import cycles
from holdfast.analysis.graph.dependency_graph import cached_graph
from holdfast.analysis.graph.layered_picture import layered_picture
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.tools.analyze_dependency_graph import ImportCycle, first_cycles
from holdfast.analysis.toolset import analyze
from holdfast.kernel.models import Integer
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

_DEFAULT_BOXES = 60
"""Boxes of a drawing by default: a judgement, about what a screen shows legibly."""
_MAX_BOXES = 150
"""Boxes of a drawing: a judgement, as larger drawings are not legible."""
_MAX_CYCLES_LISTED = 20
"""Cycles in a result: a judgement, about a screen of text."""


class DrawDependencyGraph(arguments.ProjectInput):
    """The files, and the number of boxes."""

    limit: Integer = Field(
        default=_DEFAULT_BOXES,
        ge=2,
        le=_MAX_BOXES,
        description="Maximum number of boxes; with more files, folders are drawn.",
    )
    folders_first: StrictBool = Field(
        default=False, description="Draw each subfolder as one box, unless there are too many."
    )


class DrawnGraph(FileCounts):
    """A drawing of imports."""

    project_path: UntrustedText
    svg: UntrustedText = Field(
        description="Boxes in layers, importing files above imported ones; names are escaped."
    )
    boxes: int
    dependencies: int = Field(description="Lines between boxes.")
    folders: int = Field(description="Boxes that represent a folder.")
    not_drawn: int = Field(description="Files that neither import a file of the project nor are imported.")
    total_cycles: int
    cycles: list[ImportCycle] = Field(description="The largest cycles.")


def _text(result: DrawnGraph) -> str:
    boxes = counted(result.boxes, "box", "boxes")
    drawn = f"{boxes}, {counted(result.dependencies, 'dependency', 'dependencies')}"
    loops = [" → ".join(cycle.files) for cycle in result.cycles]
    return "\n".join([f"Drawn: {drawn}.", f"Import cycles: {result.total_cycles}", *loops])


@analyze.operation(
    "draw_dependency_graph",
    title="Draw dependencies",
    effect=Effect.READ,
    command="picture",
    example="holdfast analyze picture src",
    **arguments.IN_PROJECT
    | {"stages": 2, "text": _text, "command_text": lambda result: result.svg, "details": ("svg",)},
)
def draw_dependency_graph(room: Analysis, args: DrawDependencyGraph) -> DrawnGraph:
    """Draw the imports between files as SVG, in layers, and list the cycles.

    If there are more files than boxes, folders represent them.
    """
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project)
    edges = cached_graph(room, scan, "import-graph").edges
    drawn, import_cycles = layered_picture(edges, args.limit, folders_first=args.folders_first), cycles(edges)
    return DrawnGraph(
        **scan.counts.result_fields(project.path),
        svg=drawn.svg,
        boxes=drawn.boxes,
        dependencies=drawn.edges,
        folders=drawn.folders,
        not_drawn=len(scan.files) - len({end for edge in edges for end in edge.ends}),
        total_cycles=len(import_cycles),
        cycles=first_cycles(import_cycles, _MAX_CYCLES_LISTED),
    )
