"""What is published of a run: the tables of docs/accuracy.md, and the bars."""

from __future__ import annotations

from collections import Counter

from bench._results import Results
from bench.anchors.cases import BUCKETS
from bench.anchors.running import OURS
from bench.anchors.scoring import OUTCOMES, Score, share

KINDS = {
    "release": "releases",
    "one-commit": "single commits",
    "years": "years",
    "element-one-commit": "blocks and variables, single commits",
    "element-years": "blocks and variables, years",
    "closing-one-commit": "closing lines, single commits",
    "closing-years": "closing lines, years",
    "lhdiff": "LHDiff benchmark",
    "deleted-one-commit": "deleted code, single commits",
    "deleted-years": "deleted code, years",
}
"""What kinds of sets are called, in the order of the tables."""

BARS: dict[str, tuple[float, float | None, float | None]] = {
    "lhdiff": (86.0, None, None),
    "release": (96.5, 2.5, 98.5),
    "one-commit": (98.0, 1.2, 98.5),
    "years": (90.0, 6.0, 98.5),
    "element-one-commit": (98.0, 1.2, 98.5),
    "element-years": (90.0, 6.0, 98.5),
    "closing-one-commit": (98.0, 1.2, 99.5),
    "closing-years": (90.0, 6.0, 99.5),
}
"""For each kind: the least correct, the most wrong, the least right among the sure, in percent."""

EDITED = ("release", "one-commit", "element-one-commit")
CORPUS = "Sets of repositories that were not tuned on, as docs/accuracy.md lists them"

Sums = dict[str, dict[str, Score]]


def published(totals: Sums, served: bool) -> Results:
    """Return the tables and bars of a run, of the server's own way or of the tracker asked directly."""
    results = Results("bench.anchors_served" if served else "bench.anchors", CORPUS)
    kinds = [kind for kind in KINDS if kind in totals]
    rows = [_row(KINDS[kind], totals[kind][OURS].outcomes) for kind in kinds]
    edited: Counter[str] = Counter()
    for kind in kinds:
        edited += totals[kind][OURS].buckets["edited"] if kind in EDITED else Counter()
    if edited and not served:
        rows.append(_row("edited lines of the sets of releases and single commits", edited))
        results.bar("anchors, edited lines: % silent", share(edited, "silent"), 1.5)
        results.bar(
            "anchors, edited lines: % right and sure", share(edited, "right and sure"), 75.0, better="higher"
        )
    results.table("outcomes", ("not tuned on, %", "number", *OUTCOMES), rows)
    gone = [kind for kind in kinds if kind.startswith("deleted")]
    for kind in gone:
        what = f"anchors, {KINDS[kind]}{', served' if served else ''}: % silent"
        results.bar(what, totals[kind][OURS].share("silent"), 3.0)
    rows = [
        _row(f"{KINDS[kind].removeprefix('deleted code, ')}: {bucket}", totals[kind][OURS].buckets[bucket])
        for kind in gone
        for bucket in BUCKETS
        if bucket in totals[kind][OURS].buckets
    ]
    if rows:
        results.table("deleted", ("deleted code, %", "number", *OUTCOMES), rows)
    if not served:
        _beside(results, {kind: totals[kind] for kind in kinds if len(totals[kind]) > 2})
    return results


def _row(name: str, outcomes: Counter[str]) -> tuple[str | float, ...]:
    return name, outcomes.total(), *(f"{share(outcomes, one):.1f}" for one in OUTCOMES)


def _beside(results: Results, totals: Sums) -> None:
    """Add how the others do, and the bars with the best of them."""
    trackers = dict.fromkeys(name for scores in totals.values() for name in scores)
    rows = []
    for name in trackers:
        found = [scores.get(name) for scores in totals.values()]
        rows.append(
            (
                name,
                *(
                    f"{one.correct:.1f} / {one.wrong:.1f} / {one.share('lost'):.1f}" if one else ""
                    for one in found
                ),
            )
        )
    columns = [f"{KINDS[kind]} ({scores[OURS].total})" for kind, scores in totals.items()]
    results.table("beside", ("correct / wrong / lost, %", *columns), rows)
    for kind, scores in totals.items():
        ours = scores[OURS]
        best = max(
            (name for name in scores if not name.startswith(OURS)), key=lambda name: scores[name].correct
        )
        correct, wrong, sure = BARS[kind]
        name = f"anchors, {KINDS[kind]}: %"
        results.bar(
            f"{name} correct",
            ours.correct,
            correct,
            better="higher",
            against=f"{best} {scores[best].correct:.1f}",
        )
        if wrong is not None and sure is not None:
            results.bar(f"{name} wrong", ours.wrong, wrong, against=f"{best} {scores[best].wrong:.1f}")
            results.bar(f"{name} right among sure", ours.precision, sure, better="higher")
