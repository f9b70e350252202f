"""The picture of a graph: layers, rings, folders where files are too many, and names that stay names."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from holdfast.analysis.graph.layered_picture import layered_picture
from tests.analysis.graph.test_shown_graphs import graph

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    '"><script>alert(1)</script>.py',
    "a&b' onload='x.py",
    "]]><!--.py",
    "x\u202egnp.py",
    "{number}{0}.py",
    "javascript:alert(1)",
    "sp ace#?%.py",
)


def boxes(svg: str) -> dict[str, tuple[int, int]]:
    """Return where each box is."""
    found = {}
    for box in ElementTree.fromstring(svg).iter(f"{SVG}a"):
        rectangle = box.find(f"{SVG}rect")
        assert rectangle is not None
        found[box.attrib["data-path"]] = (int(rectangle.attrib["x"]), int(rectangle.attrib["y"]))
    return found


def test_what_uses_stands_before_what_is_used_and_no_two_boxes_overlap() -> None:
    drawn = layered_picture(
        graph(("a.py", "b.py"), ("b.py", "c.py"), ("a.py", "c.py"), ("d.py", "c.py")).edges, 150
    )
    at = boxes(drawn.svg)
    assert at["a.py"][0] < at["b.py"][0] < at["c.py"][0]
    assert len(set(at.values())) == 4
    assert (drawn.boxes, drawn.edges, drawn.folders) == (4, 4, 0)
    assert "ring" not in drawn.svg
    assert "a.py uses b.py in 1 place<" in drawn.svg


def test_rings_are_marked_and_the_same_graph_gives_the_same_picture() -> None:
    edges = graph(("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")).edges
    drawn = layered_picture(edges, 150)
    assert len(re.findall(r'class="node ring"', drawn.svg)) == 3
    assert len(re.findall(r'class="edge ring"', drawn.svg)) == 3
    assert layered_picture(reversed(edges), 150) == drawn


def test_folders_stand_for_files_where_they_are_too_many_and_the_fullest_are_opened() -> None:
    edges = graph(
        *((f"tests/t{number:03}.py", "src/kernel/a.py") for number in range(200)),
        ("src/faces/b.py", "src/kernel/a.py"),
        ("src/faces/c.py", "src/kernel/d.py"),
    ).edges
    drawn = layered_picture(edges, 10)
    assert set(boxes(drawn.svg)) == {
        "tests",
        "src/kernel/a.py",
        "src/kernel/d.py",
        "src/faces/b.py",
        "src/faces/c.py",
    }
    assert (drawn.boxes, drawn.folders) == (5, 1)
    assert "tests uses src/kernel/a.py in 200 places" in drawn.svg
    assert set(boxes(layered_picture(edges, 2).svg)) == {"tests", "src"}
    assert layered_picture(edges, 1).boxes == 0


def test_folders_come_first_on_request_each_as_one_box() -> None:
    edges = graph(
        ("src/core/faces/b.py", "src/core/kernel/a.py"),
        ("src/core/faces/c.py", "src/core/kernel/deep/d.py"),
        ("src/core/main.py", "src/core/faces/b.py"),
    ).edges
    drawn = layered_picture(edges, 60, folders_first=True)
    assert set(boxes(drawn.svg)) == {"src/core/faces", "src/core/kernel", "src/core/main.py"}
    assert (drawn.boxes, drawn.folders, drawn.edges) == (3, 2, 2)
    assert drawn.svg.count('class="node folder"') == 2
    assert "src/core/faces uses src/core/kernel in 2 places" in drawn.svg
    assert set(boxes(layered_picture(edges, 2, folders_first=True).svg)) <= {
        "src/core/faces",
        "src/core/kernel",
    }
    with_tests = graph(("tests/t.py", "src/core/main.py"), ("src/core/main.py", "src/core/b.py")).edges
    assert set(boxes(layered_picture(with_tests, 60, folders_first=True).svg)) == {"src", "tests"}


def test_hostile_names_stay_text() -> None:
    drawn = layered_picture(graph(*((name, "b.py") for name in HOSTILE)).edges, 150)
    root = ElementTree.fromstring(drawn.svg)
    assert {node.tag.removeprefix(SVG) for node in root.iter()} == {
        *("svg", "g", "a", "path", "rect", "text", "title")
    }
    assert not {name for node in root.iter() for name in node.attrib if name.startswith("on")}
    for link in root.iter(f"{SVG}a"):
        assert re.fullmatch(r"/code/[\w./%~-]+", link.attrib["href"])
    shown = set(boxes(drawn.svg))
    assert {"x\u202egnp.py"} == set(HOSTILE) - shown  # without what turns text around
    assert "xgnp.py" in shown


def test_nothing_is_an_empty_picture() -> None:
    drawn = layered_picture([], 150)
    assert (drawn.boxes, drawn.edges) == (0, 0)
    assert boxes(drawn.svg) == {}
