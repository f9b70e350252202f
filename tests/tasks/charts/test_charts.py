"""Charts show the numbers they are given, in both formats, whatever people call their tasks."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from holdfast.tasks.charts.figures import Box, BurndownDay, TaskEdge, TaskGraph
from holdfast.tasks.charts.picture import Drawing, Label, Line, Rectangle, render_png, render_svg
from holdfast.tasks.charts.plots import (
    MAX_BOXES,
    STATUS_COLOURS,
    burndown_chart,
    draw,
    graph_chart,
    status_chart,
)
from holdfast.tasks.store.records import Draft
from holdfast.tasks.store.tasks import Tasks
from tests.tasks.conftest import ADA

COUNTS = {"backlog": 3, "in-progress": 1, "blocked": 0, "review": 0, "done": 6, "dropped": 2}
HOSTILE = '</text><script>alert(1)</script> "quoted" $\\frac{1}{2}$ 日本語 🚀 \x1b[31m\u202e'
EDGE = [TaskEdge("TP-1", "TP-2")]
TODAY = date(2026, 11, 15)


def bars(drawing: Drawing) -> dict[str, float]:
    by_color = {color: status for status, color in STATUS_COLOURS.items()}
    return {by_color[shape.fill]: shape.width for shape in drawing.shapes if isinstance(shape, Rectangle)}


def labels(drawing: Drawing) -> list[str]:
    return [shape.text for shape in drawing.shapes if isinstance(shape, Label)]


def test_bars_are_as_long_as_the_counts_say():
    lengths = bars(status_chart("kelp", COUNTS))
    assert lengths["done"] == 2 * lengths["backlog"] == 6 * lengths["in-progress"]
    assert lengths["blocked"] == 0
    assert "12 tasks, 60 % done" in labels(status_chart("kelp", COUNTS))


def test_an_empty_workspace_has_a_chart_without_a_share():
    assert "0 tasks" in labels(status_chart("kelp", dict.fromkeys(COUNTS, 0)))
    assert "No tasks yet." in labels(burndown_chart("kelp", []))
    assert "0 tasks, 0 dependencies" in labels(graph_chart("kelp", TaskGraph([], [], 0)))


def test_the_lines_end_where_the_last_day_does():
    days = [BurndownDay(TODAY + timedelta(number), 10 - number, number) for number in range(8)]
    drawing = burndown_chart("kelp", days)
    still_open, done = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.width > 2]
    assert len(still_open.points) == len(done.points) == 8
    assert still_open.points[-1][1] > still_open.points[0][1]
    assert done.points[-1][1] < done.points[0][1]
    assert {"open 3", "done 7", "10", "0"} <= set(labels(drawing))


def test_one_day_is_a_line_too():
    drawing = burndown_chart("kelp", [BurndownDay(TODAY, 4, 1)])
    assert [len(shape.points) for shape in drawing.shapes if isinstance(shape, Line) and shape.width > 2] == [
        2,
        2,
    ]


def test_a_task_stands_right_of_everything_it_waits_for():
    boxes = [Box(name, name, "backlog") for name in ("c", "b", "a")]
    edges = [TaskEdge("c", "b"), TaskEdge("b", "a"), TaskEdge("c", "a")]
    drawing = graph_chart("kelp", TaskGraph(boxes, edges, 3))
    across = {
        shape.text: shape.x for shape in drawing.shapes if isinstance(shape, Label) and shape.size == 11
    }
    assert across["a"] < across["b"] < across["c"]
    assert sum(isinstance(shape, Line) and shape.arrow for shape in drawing.shapes) == 3


def test_a_damaged_graph_that_goes_in_circles_is_drawn(font_cache: Path):
    boxes = [Box("a", "a", "backlog"), Box("b", "b", "backlog")]
    graph = TaskGraph(boxes, [TaskEdge("a", "b"), TaskEdge("b", "a")], 2)
    assert png_size(graph_chart("kelp", graph), font_cache)


def test_a_large_graph_says_what_it_leaves_out(room: Tasks):
    room.create([Draft(f"Task {number}") for number in range(MAX_BOXES + 5)], ADA)
    drawing, _ = draw(room, "graph")
    assert f"{MAX_BOXES} of {MAX_BOXES + 5} tasks, 0 dependencies" in labels(drawing)


@pytest.fixture(scope="module")
def font_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fonts")


def png_size(drawing: Drawing, cache: Path) -> tuple[int, int]:
    with Image.open(io.BytesIO(render_png(drawing, cache))) as picture:
        return picture.size


def test_the_picture_has_the_colours_of_the_states_where_the_bars_are(font_cache: Path):
    drawing = status_chart("kelp", COUNTS)
    with Image.open(io.BytesIO(render_png(drawing, font_cache))) as picture:
        assert picture.size == (drawing.width, drawing.height)
        for shape in drawing.shapes:
            if isinstance(shape, Rectangle) and shape.width > 4:
                inside = (int(shape.x + shape.width / 2), int(shape.y + shape.height / 2))
                assert "#{:02x}{:02x}{:02x}".format(*picture.convert("RGB").getpixel(inside)) == shape.fill


def test_the_same_numbers_give_the_same_bytes(font_cache: Path):
    drawing = status_chart("kelp", COUNTS)
    assert render_png(drawing, font_cache) == render_png(drawing, font_cache)
    assert render_svg(drawing) == render_svg(drawing)


@pytest.mark.parametrize(
    "drawing",
    [
        status_chart(HOSTILE, COUNTS),
        burndown_chart(HOSTILE, [BurndownDay(TODAY, 1, 0)]),
        graph_chart(HOSTILE, TaskGraph([Box("TP-1", HOSTILE, HOSTILE), Box("TP-2", "", "done")], EDGE, 2)),
    ],
    ids=["status", "burndown", "graph"],
)
def test_whatever_people_write_is_only_text(drawing: Drawing, font_cache: Path):
    root = ElementTree.fromstring(render_svg(drawing))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        "svg", "title", "defs", "marker", "path", "rect", "polyline", "text",
    }  # fmt: skip
    assert b"\x1b" not in render_svg(drawing)
    assert png_size(drawing, font_cache) == (drawing.width, drawing.height)


def test_without_the_library_the_error_names_what_to_install(tmp_path: Path):
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pathlib import Path\n"
        "from holdfast.kernel.errors import Unavailable\n"
        "from holdfast.tasks.charts.picture import render_png\n"
        "from holdfast.tasks.charts.plots import status_chart\n"
        "try:\n    render_png(status_chart('kelp', {'done': 1}), Path('.'))\n"
        "except Unavailable as failure:\n    print(failure.sentence())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "holdfast[charts]" in done.stdout
    assert "svg" in done.stdout


@pytest.fixture
def command(repository: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        whole = [sys.executable, "-m", "holdfast", "tasks", *arguments]
        return subprocess.run(whole, cwd=repository, capture_output=True, timeout=120)

    assert run("init").returncode == 0
    return run


def test_the_command_draws_bars_and_says_how_to_get_the_picture(command: Callable[..., Any]):
    told = command("chart").stdout.decode()
    assert re.search(r"^ +backlog  #{40} \d$", told, re.MULTILINE)
    assert "--format svg > status.svg" in told
    assert "--format svg > graph.svg" in command("chart", "graph").stdout.decode()


def test_the_command_sends_the_picture_where_a_format_is_asked_for(command: Callable[..., Any]):
    assert ElementTree.fromstring(command("chart", "--format", "svg").stdout).tag.endswith("svg")
    with Image.open(io.BytesIO(command("chart", "burndown", "--format", "png").stdout)) as picture:
        assert picture.format == "PNG"
    assert json.loads(command("chart", "--format", "svg", "--json").stdout)["mime_type"] == "image/svg+xml"


def test_a_person_checks_criteria_with_the_approval_that_asks_for_them(command: Callable[..., Any]):
    command("focus", "TP-3")
    refused = command("approve", "TP-3").stderr.decode()
    assert "`check`" not in refused
    assert "--check" in refused
    assert command("approve", "TP-3", "--check", "1").returncode == 0
