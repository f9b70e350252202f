"""The labels that accuracy is measured by must themselves be right."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from bench.anchors import labels
from bench.anchors.buckets import bucket
from bench.anchors.cases import Case, Label
from bench.anchors.deleted import Deleted
from bench.anchors.gitdiff import line_map
from bench.anchors.history import History
from bench.anchors.mine import Miner
from bench.anchors.peers import PEERS
from bench.anchors.published import published
from bench.anchors.running import OURS, run
from bench.anchors.scoring import Score
from bench.anchors.stripping import strip

from holdfast.comments.tracking.placement import FileVersion
from tests.syntax.named import language_named

OLD = """# The licence of this file stands here
import os


def area(width, height):
    # Both sides are in metres here
    size = width * height
    return size  # never less than nothing


# Volumes are what areas become
@cached
def volume(side):
    # said twice in this file
    first = side
    # said twice in this file
    return first * side
"""
NEW = OLD.replace("import os\n", "import os\nimport sys\n").replace("size = width", "surface = width")


def test_comments_are_taken_out_and_label_the_lines_they_spoke_of():
    stripped = strip(language_named("python"), OLD)
    lines = stripped.text.split("\n")
    assert "metres" not in stripped.text
    assert {text: lines[line - 1].strip() for text, line in stripped.spoken_of.items()} == {
        "Both sides are in metres here": "size = width * height",
        "never less than nothing": "return size",
        "Volumes are what areas become": "@cached",
    }


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "Ada")
    git(tmp_path, "config", "user.email", "ada@example.org")
    for number, (name, text) in enumerate(
        [("shapes.py", OLD), ("shapes.py", NEW), ("solids.py", NEW)], start=1
    ):
        (tmp_path / "shapes.py").unlink(missing_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", str(number))
        git(tmp_path, "tag", f"v{number}")
    return tmp_path


SHAPES = """\
def area(width, height):
    scaled = width * height
    return rounded_up(scaled)


def volume(side):
    cubed = side ** 3
    return rounded_down(cubed)


def weight(mass):
    checked = not_negative(mass)
    return checked * GRAVITY
"""
VOLUME = SHAPES[SHAPES.index("def volume") : SHAPES.index("def weight")]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (SHAPES.replace(VOLUME, ""), {"deleted function": 1, "deleted body": 2}),
        (
            SHAPES.replace(VOLUME, "def height(steps):\n    return count_of(steps)\n\n\n"),
            {"replaced function": 1, "replaced body": 2},
        ),
        (SHAPES.replace("    checked = not_negative(mass)\n", ""), {"deleted line": 1}),
        (SHAPES.replace("def volume", "def capacity"), {}),
        (SHAPES.replace("not_negative(mass)", "at_least_zero(mass)"), {}),
    ],
    ids=["function", "replaced", "line", "renamed", "edited line"],
)
def test_only_code_that_is_gone_counts_as_deleted(repository, after, expected):
    for text in (SHAPES, after):
        (repository / "solids.py").write_text(text, encoding="utf-8")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "next")
    history = History(repository)
    cases = list(Deleted(history, "shapes", ()).commits("HEAD~1", "HEAD"))
    history.close()
    found = [label for case in cases for label in case.labels]
    assert Counter(label.bucket for label in found) == expected
    assert all(label.truth is None for label in found)


def test_notes_are_judged_as_the_server_shows_them():
    old = FileVersion("lib/shapes.py", SHAPES)
    between = (FileVersion(old.path, "import math\n" + SHAPES),)
    new = FileVersion(old.path, "import math\n" + SHAPES.replace(VOLUME, ""))
    labels = (Label(1, 2, "shifted"), Label(6, None, "deleted function"), Label(11, 7, "shifted"))
    scores = run([Case("shapes", old, new, labels, between)], served=True).scores
    assert scores[OURS].outcomes == {"right and sure": 3}


def described(case: Case) -> list[tuple[str, str, str]]:
    old, new = case.old.text.split("\n"), case.new.text.split("\n")
    return [
        (old[label.line - 1].strip(), new[label.truth - 1].strip(), label.bucket) for label in case.labels
    ]


def test_labels_follow_people_from_release_to_release(repository):
    miner = Miner(History(repository), "shapes")
    (case,) = miner.release("v1", "v2")
    assert described(case) == [
        ("size = width * height", "surface = width * height", "edited"),
        ("return size", "return size", "shifted"),
        ("def volume(side):", "def volume(side):", "shifted"),
    ]
    assert case.labels[2].literally().line == case.labels[2].line - 1
    miner.history.close()


def test_labels_of_a_commit_are_those_it_came_near(repository):
    miner = Miner(History(repository), "shapes")
    (case,) = miner.commits("v1", "v2")
    assert [now for _, now, _ in described(case)] == ["surface = width * height", "return size"]
    miner.history.close()


def test_code_that_went_to_another_file_is_labelled_there(repository, tmp_path):
    miner = Miner(History(repository), "shapes")
    (case,) = miner.moved("v2", "v3")
    assert (case.old.path, case.new.path) == ("shapes.py", "solids.py")
    assert {label.bucket for label in case.labels} == {"moved file"}
    assert labels.save(tmp_path / "data", "moved-file.shapes", [case]) == 3
    assert list(labels.load(tmp_path / "data" / "moved-file.shapes.jsonl")) == [case]
    miner.history.close()


def test_the_map_of_git_diff_is_exact_outside_hunks():
    assert line_map("a\nb\nc\n", "a\nx\nb\nc\n") == {1: 1, 2: 3, 3: 4, 4: 5}
    assert line_map("a\nb\nc\n", "a\nc\n") == {1: 1, 3: 2, 4: 3}
    assert line_map("a\n", "a\n") == {1: 1, 2: 2}


@pytest.mark.parametrize("name", PEERS)
def test_peers_agree_about_a_text_that_only_grew(name):
    old = FileVersion("a.py", strip(language_named("python"), OLD).text)
    new = FileVersion("a.py", "import re\n" + old.text)
    expected = {"same line number": [5, 6]}.get(name, [6, 7])
    assert PEERS[name](old, new, [5, 6]) == expected


def test_what_happened_to_a_line_is_told():
    old = FileVersion("a.py", "def f():\n    alpha = 1\n    beta = 2\n    return 3\n")
    new = FileVersion("a.py", "x = 0\ndef f():\n    beta = 2\n    alpha = 1\n    return 4\n")
    other = FileVersion("b.py", new.text)
    assert bucket(old, new, 4, 5) == "edited"
    assert bucket(old, new, 1, 2) == "shifted"
    assert bucket(old, new, 1, None) == "deleted"
    assert bucket(old, other, 1, 2) == "moved file"
    assert {bucket(old, new, 2, 4), bucket(old, new, 3, 3)} == {"moved in file", "unchanged"}
    assert bucket(old, FileVersion("a.py", old.text.replace("f()", "g()")), 2, 2) == "renamed symbol"


def test_five_outcomes_are_counted():
    score = Score()
    assert score.add("edited", 3, 3, sure=True) == "right and sure"
    assert score.add("edited", 3, 3, sure=False) == "right, flagged"
    assert score.add("edited", 3, 4, sure=True) == "silent"
    assert score.add("edited", 3, 4, sure=False) == "wrong, flagged"
    assert score.add("edited", 3, None, sure=True) == "lost"
    assert (score.correct, score.wrong, score.precision) == (40.0, 40.0, 50.0)


def test_of_code_that_is_gone_no_line_is_right():
    score = Score()
    assert score.add("deleted function", None, None, sure=True) == "right and sure"
    assert score.add("deleted function", None, None, sure=False) == "right, flagged"
    assert score.add("deleted function", None, 4, sure=True) == "silent"
    assert score.add("deleted function", None, 4, sure=False) == "wrong, flagged"


def test_a_label_without_annotations_is_literal_already():
    label = Label(3, 4, "shifted")
    assert label.literally() is label


def test_what_is_published_has_the_bars_with_the_best_of_the_others():
    ours, theirs = Score(), Score()
    for score, answers in ((ours, (3, 3, 9, 3)), (theirs, (3, 9, 9, 9))):
        for answer in answers:
            score.add("edited", 3, answer, sure=True)
    gone = Score()
    gone.add("deleted line", None, 4, sure=True)
    totals = {"release": {"other": theirs, OURS: ours, "third": Score()}, "deleted-years": {OURS: gone}}
    results = published(totals, served=False)
    bars = {bar.what: (bar.figure, bar.holds, bar.against) for bar in results.bars}
    assert bars["anchors, releases: % correct"] == (75.0, False, "other 25.0")
    assert bars["anchors, edited lines: % silent"] == (25.0, False, None)
    assert bars["anchors, deleted code, years: % silent"] == (100.0, False, None)
    assert results.tables["outcomes"]["rows"][0] == ["releases", 4, "75.0", "0.0", "25.0", "0.0", "0.0"]
    assert results.tables["deleted"]["rows"] == [
        ["years: deleted line", 1, "0.0", "0.0", "100.0", "0.0", "0.0"]
    ]
