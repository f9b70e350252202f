"""The gate: how many lines are found again after edits whose outcome is known, in both directions.

The sources are those of this project. The control, a note that stays at its line number, must miss every bar,
or else the corpus would prove nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from bench.anchors import lhdiff
from bench.anchors.peers import same_number
from bench.anchors.running import OURS, run
from bench.anchors.scoring import Score

import holdfast
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from holdfast.comments.tracking.track import track
from tests.comments.tracking.scripted import EDITS, Known, applied, formatted

SOURCES = Path(holdfast.__file__).parent
FILES = 48
ANCHORS = 12
MIN_LINES = 60

USUAL_BAR = (99.0, 0.5)
BARS = {"split": (98.0, 0.5), "format": (95.0, 1.0)}
"""For each edit: the least share of correct ones and the greatest of wrong ones, in percent."""

LHDIFF = os.environ.get("HOLDFAST_LHDIFF", "")
LHDIFF_BAR = 86.0


def sources() -> Iterator[tuple[str, str]]:
    """Yield longer sources of this project, spread over its folders."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") >= MIN_LINES:
            found.append((path.name, text))
    step = max(1, len(found) // FILES)
    yield from found[::step][:FILES]


def edited(name: str) -> Iterator[tuple[str, Known]]:
    for number, (path, text) in enumerate(sources()):
        if name == "format":
            known = formatted(text, 64)
        else:
            known = applied(EDITS[name], path, text, Random(number))
        if known is not None and known.old != known.new:
            yield path, known
            yield path, known.undone()


def chosen(known: Known, chance: Random) -> list[int]:
    """Return lines with words in them whose outcome is known."""
    lines = known.old.split("\n")
    telling = [line for line in known.truth if any(map(str.isalnum, lines[line - 1]))]
    return sorted(chance.sample(telling, min(ANCHORS, len(telling))))


Answers = Callable[[FileVersion, FileVersion, list[int]], list[tuple[int | None, bool]]]


def ours(old: FileVersion, new: FileVersion, lines: list[int]) -> list[tuple[int | None, bool]]:
    placements = track(old, new, [Anchor(line) for line in lines])
    return [(one.line, one.confidence is Confidence.HIGH) for one in placements]


def stays(old: FileVersion, new: FileVersion, lines: list[int]) -> list[tuple[int | None, bool]]:
    return [(line, True) for line in same_number(old, new, lines)]


def score(name: str, answers: Answers) -> Score:
    counted = Score()
    for number, (path, known) in enumerate(edited(name)):
        lines = chosen(known, Random(number))
        found = answers(FileVersion(path, known.old), FileVersion(path, known.new), lines)
        for line, (answer, sure) in zip(lines, found, strict=True):
            counted.add(name, known.truth[line], answer, sure)
    return counted


def holds(name: str, counted: Score) -> bool:
    correct, wrong = BARS.get(name, USUAL_BAR)
    return counted.correct >= correct and counted.wrong <= wrong


@pytest.mark.requirement("comments-104")
@pytest.mark.parametrize("name", [*EDITS, "format"])
def test_lines_are_found_after_known_edits_in_both_directions(name):
    counted = score(name, ours)
    assert counted.total >= 300
    assert holds(name, counted), dict(counted.outcomes)
    assert counted.precision is not None
    assert counted.precision >= 99.5


def test_a_formatter_leaves_little_to_review():
    assert score("format", ours).share("right and sure") >= 97


@pytest.mark.requirement("comments-104")
@pytest.mark.parametrize("name", [*EDITS, "format"])
def test_notes_that_stay_at_their_number_miss_every_bar(name):
    assert not holds(name, score(name, stays))


@pytest.mark.requirement("comments-104")
@pytest.mark.skipif(not LHDIFF, reason="HOLDFAST_LHDIFF names no folder with the LHDiff benchmark")
def test_the_benchmark_of_the_lhdiff_authors_holds_its_bar():
    counted = run(lhdiff.load(Path(LHDIFF)), peers=False).scores[OURS]
    assert counted.total == 232
    assert counted.correct >= LHDIFF_BAR
