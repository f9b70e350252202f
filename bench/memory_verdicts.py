"""How often a memory says the wrong thing about its code.

python -m bench.memory_verdicts REPOSITORY... [--to REV] [--most 400] [--misses 20] [--check] [--save]

Each repository's history is read at distances of 1, 10, 100 and 1,000 commits. What became of the code is
told without the tracker, as in `bench/anchors`: a line by the comment that people kept beside it, a
function by its name, what is gone by what the commits took out. A state is wrong if the labels say another
one, or if the code was found on another line. "Moved" counts as "unchanged": both say that the text is the
same.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench._results import Results
from bench._results import parser as shared_options
from bench.anchors.cases import Case, Label
from bench.anchors.deleted import functions, lines, squeezed
from bench.anchors.elements import FUNCTION, Element, elements
from bench.anchors.history import History
from bench.anchors.mine import SKIPPED, Miner, _chance
from holdfast.comments.memory.verdict import CodeVerdict, Found, judge
from holdfast.comments.tracking.follow import follow
from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.syntax.facts import facts
from holdfast.syntax.languages import language_of

DISTANCES = (1, 10, 100, 1000)
PAIRS = {1: 60, 10: 12, 100: 3, 1000: 1}
"""How many pairs of revisions are taken at each distance, so that near ones also give labels."""
MAX_CHARACTERS = 400_000
MAX_BETWEEN = 24
"""Revisions between, as many as the server takes."""


Answers = dict[tuple[str, int], Counter[tuple[str, bool]]]
"""By kind and distance: how often a state was said, and whether it was right."""


class Truth(NamedTuple):
    """Some code of the old version, and what became of it."""

    anchor: Anchor
    state: str
    line: int | None


class Sample(NamedTuple):
    """A file at two revisions, and what became of some of its code."""

    kind: str
    distance: int
    name: str
    versions: tuple[FileVersion, ...]
    truths: tuple[Truth, ...]


def main() -> None:
    parser = shared_options(__doc__)
    parser.add_argument("repository", type=Path, nargs="+")
    parser.add_argument("--to", default="HEAD")
    parser.add_argument("--most", type=int, default=400, help="labels of each kind and distance to keep")
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    answers: Answers = defaultdict(Counter)
    with ProcessPoolExecutor() as pool:
        for counted in pool.map(partial(_measured, options), options.repository):
            for key, counts in counted.items():
                answers[key] += counts
    sys.exit(_published(answers, [path.name for path in options.repository]).finish(options))


def _measured(options: Namespace, repository: Path) -> Answers:
    """Return how often each state was said of a repository's code, and whether it was right."""
    answers: Answers = defaultdict(Counter)
    missed = 0
    for sample in _samples(repository, options.to, options.most):
        for truth, verdict in zip(sample.truths, _verdicts(sample), strict=True):
            right = is_right(truth, verdict)
            answers[sample.kind, sample.distance][verdict.state, right] += 1
            if not right and verdict.state != "edited" and missed < options.misses:
                missed += 1
                _show(sample, truth, verdict)
    return answers


def is_right(truth: Truth, verdict: CodeVerdict) -> bool:
    """Return whether a verdict agrees with the labels; an uncertain place of code that is there does."""
    same = ("unchanged", "moved")
    if verdict.state in same:
        return truth.state in same and truth.line == verdict.line
    if verdict.state == "gone":
        return truth.state == "gone"
    return truth.state not in ("gone", *same) and verdict.line in (None, truth.line)


def _verdicts(sample: Sample) -> Iterator[CodeVerdict]:
    old, new = sample.versions[0], sample.versions[-1]
    anchors = [truth.anchor for truth in sample.truths]
    for anchor, found in zip(anchors, follow(sample.versions, anchors), strict=True):
        yield judge(old, anchor, new, Found(found.line, found.end_line, found.confidence, found.reason))


def _samples(repository: Path, to: str, most: int) -> Iterator[Sample]:
    history = History(repository)
    miner = Miner(history, repository.name)
    commits = history.git("rev-list", "--first-parent", to).split()
    for distance in DISTANCES:
        held: dict[str, list[Sample]] = defaultdict(list)
        step = max(distance, min(1000, len(commits) - distance - 1) // PAIRS[distance])
        starts = range(0, min(len(commits) - distance, step * PAIRS[distance]), step)
        for start in starts:
            last, first = commits[start], commits[start + distance]
            for sample in _between(miner, first, last, distance):
                held[sample.kind].append(sample)
        for samples in held.values():
            yield from _thinned(samples, most)
    history.close()


def _thinned(samples: list[Sample], most: int) -> Iterator[Sample]:
    total = sum(len(sample.truths) for sample in samples)
    for sample in samples:
        chosen = tuple(
            truth
            for truth in sample.truths
            if total <= most or _chance(f"{sample.name}:{truth.anchor}") < most / total
        )
        if chosen:
            yield sample._replace(truths=chosen)


def _between(miner: Miner, first: str, last: str, distance: int) -> Iterator[Sample]:
    """Yield the labels of all files that two revisions have in different versions."""
    history, kept = miner.history, []
    for path, old, new in history.modified(first, last):
        if language_of(path) is None or any(part in f"/{path}" for part in SKIPPED):
            continue
        before, after = miner.stripped(path, old), miner.stripped(path, new)
        between = history.revisions(first, last, path) if distance > 1 else []
        between = between[:: max(1, -(-len(between) // MAX_BETWEEN))]
        if before is not None and after is not None:
            for case in miner.pair(f"{first[:8]} to {last[:8]}", path, before, after):
                middle = [found for found in (miner.stripped(path, blob) for blob in between) if found]
                versions = (case.old, *(FileVersion(path, found.text) for found in middle), case.new)
                yield Sample(
                    "lines", distance, case.name, versions, tuple(map(_truth_of_line(case), case.labels))
                )
        texts = [history.text(blob) for blob in (old, *between, new)]
        if None in texts or any(len(text or "") > MAX_CHARACTERS or "\r" in (text or "") for text in texts):
            continue
        versions = tuple(FileVersion(path, text or "") for text in texts)
        kept.append(versions)
        truths = tuple(_truths_of_functions(versions[0], versions[-1]))
        if truths:
            yield Sample("functions", distance, f"{first[:8]} to {last[:8]} {path}", versions, truths)
    yield from _gone(history, first, last, distance, kept)


def _truth_of_line(case: Case) -> Callable[[Label], Truth]:
    def truth(label: Label) -> Truth:
        before, after = case.old.text.split("\n"), case.new.text.split("\n")
        same = label.truth is not None and before[label.line - 1].strip() == after[label.truth - 1].strip()
        return Truth(Anchor(label.line), "unchanged" if same else "edited", label.truth)

    return truth


def _truths_of_functions(old: FileVersion, new: FileVersion) -> Iterator[Truth]:
    """Yield the functions whose names both versions have once."""
    after = {one.function: one for one in _functions(new)}
    for one in _functions(old):
        other = after.get(one.function)
        if other is not None and one.end > one.line:
            state = "unchanged" if one.text == other.text else "edited"
            yield Truth(Anchor(one.line, one.end), state, other.line)


def _functions(version: FileVersion) -> list[Element]:
    found = elements(version.path, version.text, with_functions=True)
    return [one for one in found if one.kind == FUNCTION]


def _gone(
    history: History, first: str, last: str, distance: int, files: list[tuple[FileVersion, ...]]
) -> Iterator[Sample]:
    """Yield the functions, ranges and lines that the commits took out of files that stay."""
    changed = list(history.changed(first, last))
    texts = [[history.text(blob) or "" for blob in pair] for _, *pair in changed]
    before = Counter(squeezed(line) for old, _ in texts for line in old.split("\n"))
    after = Counter(squeezed(line) for _, new in texts for line in new.split("\n"))
    added = {word for line in (after - before) for word in line.split("\0")}
    for versions in files:
        old, new = versions[0], versions[-1]
        ends = {one.name_line: one.end_line for one in facts(old.path, old.text).symbols}
        truths = []
        for label in functions(old, new, before, after, added):
            end = ends.get(label.line) if label.bucket.endswith("function") else None
            truths.append(Truth(Anchor(label.line, end), "gone", None))
        truths += [Truth(Anchor(label.line), "gone", None) for label in lines(old.path, old, new, after)]
        if truths:
            yield Sample("gone", distance, f"{first[:8]} to {last[:8]} {old.path}", versions, tuple(truths))


def _show(sample: Sample, truth: Truth, verdict: CodeVerdict) -> None:
    old, new = (version.text.split("\n") for version in (sample.versions[0], sample.versions[-1]))
    print(f"{sample.kind} {sample.distance} {sample.name}: {truth} but {verdict.state} {verdict.confidence}")
    print(f"  then {truth.anchor.line:5}: {old[truth.anchor.line - 1].strip()}")
    for word, line in (("true", truth.line), ("ours", verdict.line)):
        print(f"  {word} {line or 0:5}: {new[line - 1].strip() if line else '(none)'}", flush=True)


def _published(answers: Answers, repositories: list[str]) -> Results:
    total = sum(answers.values(), Counter[tuple[str, bool]]())
    results = Results("bench.memory_verdicts", f"{total.total():,} labels of {', '.join(repositories)}")
    rows = []
    for kind, distance in sorted(answers):
        counts = answers[kind, distance]
        cells = [f"{_wrong(counts, *states)}" for states in STATES]
        rows.append([kind, distance, counts.total(), *cells])
    rows.append(["all", "", total.total(), *(f"{_wrong(total, *states)}" for states in STATES)])
    header = ["labels of", "commits", "labels", "unchanged or moved", "edited", "gone"]
    results.table("verdicts", header, rows)
    for states in (STATES[0], STATES[2]):
        said, wrong = _counts(total, *states)
        what = f"memory, {states[0]}: % wrong"
        results.bar(what, 100 * wrong / said if said else None, 1.0, note="" if said else "no labels")
    return results


STATES = (("unchanged", "moved"), ("edited",), ("gone",))


def _counts(counts: Counter[tuple[str, bool]], *states: str) -> tuple[int, int]:
    said = sum(number for (state, _), number in counts.items() if state in states)
    wrong = sum(number for (state, right), number in counts.items() if state in states and not right)
    return said, wrong


def _wrong(counts: Counter[tuple[str, bool]], *states: str) -> str:
    said, wrong = _counts(counts, *states)
    return f"{said}: {wrong} wrong ({100 * wrong / said:.2f} %)" if said else "0"


if __name__ == "__main__":
    main()
