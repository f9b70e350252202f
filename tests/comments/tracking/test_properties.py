"""What holds for all texts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.comments.tracking.alignment import ScoredPair, heaviest_chain
from holdfast.comments.tracking.diff import line_map
from holdfast.comments.tracking.follow import follow
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from holdfast.comments.tracking.track import track
from tests.reliability.samples import examples

WORDS = [
    "x = 1",
    "y = load(x)",
    "return x",
    "}",
    "",
    "if x {",
    "def one():",
    "    pass",
    "total += y",
    "# note",
]
LINES = st.lists(st.sampled_from(WORDS) | st.text("ab(){} =", max_size=8), min_size=1, max_size=25)
PATHS = st.sampled_from(["a.py", "a.go", "a.txt", "A.java"])


def _all(lines: list[str]) -> list[Anchor]:
    return [Anchor(number) for number in range(1, len(lines) + 1)]


@given(PATHS, LINES)
def test_a_text_maps_to_itself(path: str, lines: list[str]):
    version = FileVersion(path, "\n".join(lines))
    again = FileVersion(path, "\r\n".join(lines))
    for target in (version, again):
        placements = track(version, target, _all(lines))
        assert [placement.line for placement in placements] == list(range(1, len(lines) + 1))


@given(PATHS, LINES, st.integers(1, 5))
def test_lines_put_above_shift_everything(path: str, lines: list[str], count: int):
    above = [f"entirely_new_statement_{number}(argument_{number})" for number in range(count)]
    old, new = FileVersion(path, "\n".join(lines)), FileVersion(path, "\n".join(above + lines))
    for anchor, placement in zip(_all(lines), track(old, new, _all(lines)), strict=True):
        assert placement.line == anchor.line + count


@settings(max_examples=examples(200))
@given(PATHS, LINES, LINES)
def test_every_answer_is_a_line_of_the_new_text_and_the_same_each_time(
    path: str, one: list[str], other: list[str]
):
    old, new = FileVersion(path, "\n".join(one)), FileVersion(path, "\n".join(other))
    placements = track(old, new, _all(one))
    assert placements == track(old, new, _all(one))
    for placement in placements:
        assert (placement.line is None) == (placement.confidence in (Confidence.LOW, Confidence.NONE))
        assert (placement.confidence is Confidence.NONE) <= (placement.reason is not None)
        assert placement.line is None or 1 <= placement.line <= len(other)
        assert all(1 <= candidate.line <= len(other) for candidate in placement.candidates)
        assert all(0 <= candidate.score <= 1 for candidate in placement.candidates)


LAYOUT = "()[]{},;\\"


@settings(max_examples=examples(200))
@given(PATHS, LINES, LINES)
def test_high_confidence_in_one_step_holds_equal_or_confirmed_text(
    path: str, one: list[str], other: list[str]
):
    old, new = FileVersion(path, "\n".join(one)), FileVersion(path, "\n".join(other))
    before, after = Lines(old.text), Lines(new.text)
    for anchor, placement in zip(_all(one), track(old, new, _all(one)), strict=True):
        if placement.confidence is Confidence.HIGH:
            assert placement.line is not None
            if placement.method == "reflowed":
                # Broken over lines in another way: it begins now where its first token is.
                first, *_ = (token for token in before.tokens(anchor.line - 1) if token not in LAYOUT)
                assert first in after.tokens(placement.line - 1)
            elif before.normalized[anchor.line - 1] != after.normalized[placement.line - 1]:
                assert placement.method in ("aligned", "declaration")
                assert placement.candidates[0].line == placement.line
                assert placement.candidates[0].score >= 0.6


@given(PATHS, LINES, LINES, LINES)
def test_high_confidence_through_revisions_is_what_both_ways_say(
    path: str, one: list[str], two: list[str], three: list[str]
):
    texts = (one, two, three)
    versions = [FileVersion(path, "\n".join(lines)) for lines in texts]
    direct = track(versions[0], versions[-1], _all(texts[0]))
    for placement, straight in zip(follow(versions, _all(texts[0])), direct, strict=True):
        if placement.confidence is Confidence.HIGH:
            assert placement.line == straight.line


@given(LINES, LINES)
def test_the_diff_is_increasing_and_joins_equal_lines_in_both_directions(one: list[str], other: list[str]):
    old, new = Lines("\n".join(one)), Lines("\n".join(other))
    for before, after in ((old, new), (new, old)):
        found = sorted(line_map(before, after).items())
        targets = [target for _, target in found]
        assert targets == sorted(set(targets))
        assert all(before.normalized[source] == after.normalized[target] for source, target in found)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0.1, 1)), max_size=12))
def test_the_chain_is_the_best_of_all_chains(pairs: list[tuple[int, int, float]]):
    unique = list({pair[:2]: pair for pair in pairs}.values())

    def best(rest: list[tuple[int, int, float]], source: int, target: int) -> float:
        options = [pair for pair in rest if pair[0] > source and pair[1] > target]
        return max((pair[2] + best(options, pair[0], pair[1]) for pair in options), default=0.0)

    chain = heaviest_chain([ScoredPair(*pair) for pair in unique])
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(chain))
    assert abs(sum(pair[2] for pair in chain) - best(unique, -1, -1)) < 1e-9
