"""How well defects are predicted: in commits, and in files of repositories that no weight has seen.

    python -m bench.defects [--commits FOLDER] [--scratch FOLDER] [REPOSITORY]...

`HOLDFAST_COMMITS` and `HOLDFAST_REPOSITORIES` name the folder and the repositories too; both are as
`scripts/train_defects.py` describes them. Of commits the area under the curve
on the last fifth of each project is shown, of lines added alone and of the trees that ship, which were
trained on the first four fifths of four projects; also of trees trained on the project alone and on the
others. Of files it is that of size and of the model as it would have answered one to four years before
the last commit, and the share of what is mended that reading a fifth of the lines finds. In the smaller
repositories `git blame` is asked, too, whether what fixes took away was there at the moment.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy
from scripts.train_defects import (
    CSV_COLUMNS,
    Snapshot,
    curve_area,
    git,
    grown,
    halves,
    read_commits,
    scored,
    snapshots,
)

from bench._peers import Peers, folders
from bench._results import Results, absent, parser
from holdfast.analysis.defects.activity import YEAR_DAYS
from holdfast.analysis.defects.commit_risk import shipped_trees
from holdfast.analysis.defects.defect_report import SMALL_FILE_LINES
from holdfast.analysis.defects.logistic import area_under_curve, shipped_model
from holdfast.analysis.defects.prediction import TrainingSet
from holdfast.analysis.room import Analysis
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.numstat import rows
from holdfast.storage.git.repository import Repository

BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01)
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))?", re.MULTILINE)
WHEN = re.compile(r"^committer-time (\d+)$", re.MULTILINE)
CORPUS = (
    "Eight repositories that no weight was trained on, and commits of four projects with Kamei's features"
)
FILES = ("repository", "years back", "files", "mended", "mended, %", "told, %", "size", "model",
         "lines taken away: size", "model",
         "found in 20 % of the lines, %: size", "commits + 1 per line", "model per line")  # fmt: skip
MAX_TRACED = 1000
"""Files of a repository in which lines are traced by `git blame`, which takes a while."""
READ = 0.2
"""The share of all lines that somebody reads."""


def commits(results: Results, folder: Path) -> None:
    """Add the areas for the last fifth of each project's commits."""
    known = {name: halves(project) for name, project in read_commits(folder).items()}
    rows: list[tuple[str | float, ...]] = []
    found = []
    for name, (earlier, later) in known.items():
        added = area_under_curve(list(later[0][:, CSV_COLUMNS.index("la")]), list(later[1])) or 0.0
        others = [half for other, (half, _) in known.items() if other != name]
        areas = (
            added,
            curve_area(shipped_trees(), later),
            curve_area(grown([earlier]), later),
            curve_area(grown(others), later),
        )
        found.append(areas)
        rows.append((name, len(later[1]), *(f"{area:.3f}" for area in areas)))
    means = [float(mean) for mean in numpy.mean(found, axis=0)]
    rows.append(("**mean**", "", *(f"{mean:.3f}" for mean in means)))
    columns = (
        "project",
        "commits judged",
        "lines added alone",
        "shipped trees",
        "trees of the project alone",
        "trees of the others",
    )
    results.table("commits", columns, rows)
    results.bar(
        "defects, commits: mean area under the curve",
        means[1],
        0.75,
        better="higher",
        against=f"lines added alone: {means[0]:.3f}",
    )


def answered(item: Snapshot) -> list[float]:
    """Return the probabilities that a user would have been told."""
    model = shipped_model("history")
    past = TrainingSet(item["past"]["rows"], item["past"]["mended"])
    return scored(model.adapt_to(*past) if past.is_sufficient else model, item["rows"])


def found_in(item: Snapshot, order: Sequence[float]) -> float:
    """Return the share of mended files that are among the first fifth of the lines."""
    sizes = [row["code_lines"] for row in item["rows"]]
    left, caught = READ * sum(sizes), 0
    for place in sorted(range(len(sizes)), key=lambda at: -order[at]):
        left -= sizes[place]
        if left < 0:
            break
        caught += item["mended"][place]
    return caught / sum(item["mended"])


def files(results: Results, scratch: Path, repositories: Sequence[Path]) -> None:
    """Add the areas of size and model for every repository and year, and whether probabilities come true."""
    told: list[tuple[float, bool]] = []
    rows: list[tuple[str | float, ...]] = []
    gains, misses, better = [], [], 0
    for item in (item for repository in repositories for item in snapshots(scratch, repository)):
        if not any(item["traced"]):
            continue
        sizes, scores = [float(row["code_lines"]) for row in item["rows"]], answered(item)
        areas = [
            area_under_curve(order, item[label]) or 0.0
            for label in ("mended", "traced")
            for order in (sizes, scores)
        ]
        marks = numpy.asarray(item["mended"], dtype=float)
        briers = [float(numpy.mean((numpy.asarray(scores) - marks) ** 2)), float(marks.var())]
        dense = [score / max(size, SMALL_FILE_LINES) for score, size in zip(scores, sizes, strict=True)]
        busy = [
            (row["commits"] + 1) / max(size, SMALL_FILE_LINES)
            for row, size in zip(item["rows"], sizes, strict=True)
        ]
        caught = [f"{100 * found_in(item, order):.0f}" for order in (sizes, busy, dense)]
        shares = (f"{100 * share:.0f}" for share in (marks.mean(), numpy.mean(scores)))
        figures = (f"{number:.3f}" for number in areas)
        rows.append(
            (
                item["name"].rpartition("+")[2],
                item["back"],
                len(sizes),
                int(marks.sum()),
                *shares,
                *figures,
                *caught,
            )
        )
        gains.append(areas[1] - areas[0])
        misses.append(abs(float(marks.mean() - numpy.mean(scores))))
        better += briers[0] < briers[1]
        told += zip(scores, item["mended"], strict=True)
    results.table("files", FILES, rows)
    results.bar(
        "defects, files: the least that the model is above size",
        min(gains),
        -0.01,
        better="higher",
        against="order by size",
    )
    summary = (
        sum(gain >= 0 for gain in gains),
        len(gains),
        f"{max(gains):.3f}",
        f"{min(gains):.3f}",
        better,
        f"{100 * numpy.mean(misses):.1f}",
    )
    results.table(
        "sums",
        (
            "rows in which the model is not below size",
            "of",
            "most above",
            "least",
            "Brier score below the rate's",
            "told beside mended, mean difference in points",
        ),
        [summary],
    )
    calibration(results, told)


def calibration(results: Results, told: Sequence[tuple[float, bool]]) -> None:
    """Add what was told beside what happened."""
    rows = []
    for low, high in pairwise(BINS):
        inside = [(score, mark) for score, mark in told if low <= score < high]
        if inside:
            mean, rate = numpy.mean(inside, axis=0)
            rows.append((f"{low:g} to {min(high, 1):g}", len(inside), f"{mean:.3f}", f"{rate:.3f}"))
    results.table("calibration", ("probability told", "files", "on average", "mended"), rows)


def traced(clone: Path, moment: int) -> dict[str, bool]:
    """Return the files of which fixes took lines away in the year after, and whether some were there before.

    The lines are traced as SZZ does it, by `git blame` of the commit before the fix.
    """
    found: dict[str, bool] = {}
    room = Analysis(Repository.at(clone))
    with Git(room.repository) as run:
        fixes = [commit for commit in room.history.commits(run, moment) if commit.is_fix]
    room.close()
    for commit in (commit for commit in fixes if moment < commit.time <= moment + YEAR_DAYS * DAY_SECONDS):
        for path, former, _, deleted in rows(commit.changes):
            before = former or path
            if deleted in ("-", "0") or found.get(before):
                continue
            diff = git(clone, "diff", "-U0", "-M", f"{commit.id}^", commit.id, "--", before, path)
            taken = [(line, int(many or 1)) for line, many in HUNK.findall(diff)]
            ranges = [f"-L{line},+{many}" for line, many in taken if many]
            if ranges:
                told = git(clone, "blame", "--porcelain", *ranges, f"{commit.id}^", "--", before)
                found[before] = min(int(time) for time in WHEN.findall(told)) <= moment
    return found


def tracing(results: Results, scratch: Path, repositories: Sequence[Path]) -> None:
    """Add the areas for files that lost lines to fixes which were there at the moment."""
    rows = []
    for repository in repositories:
        [item] = snapshots(scratch, repository, (1,))
        if len(item["files"]) > MAX_TRACED:
            continue
        clone = scratch / item["name"]
        moment = int(git(clone, "log", "-1", "--format=%ct", "origin/HEAD")) - YEAR_DAYS * DAY_SECONDS
        found = traced(clone, moment)
        marks = [found.get(path, False) for path in item["files"]]
        orders = [float(row["code_lines"]) for row in item["rows"]], answered(item)
        areas = (f"{area_under_curve(order, marks) or 0.0:.3f}" for order in orders)
        known = found.keys() & set(item["files"])
        rows.append((item["name"].rpartition("+")[2], len(known), sum(marks), *areas))
    columns = ("repository", "files with lines taken away", "that were there before", "size", "model")
    results.table("tracing", columns, rows)


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("repositories", type=Path, nargs="*", default=folders("HOLDFAST_REPOSITORIES"))
    arguments.add_argument("--commits", type=Path, default=next(iter(folders("HOLDFAST_COMMITS")), None))
    arguments.add_argument("--scratch", type=Path, help="where clones and what was measured of them are kept")
    options = arguments.parse_args()
    if not options.commits or not options.repositories:
        return absent("labelled commits and repositories (HOLDFAST_COMMITS, HOLDFAST_REPOSITORIES)")
    peers = Peers("training", ["scikit-learn"])
    peers.importable()
    results = Results("bench.defects", CORPUS, peers.versions())
    with tempfile.TemporaryDirectory() as folder:
        scratch = options.scratch or Path(folder)
        files(results, scratch, options.repositories)
        tracing(results, scratch, options.repositories)
    commits(results, options.commits)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())
