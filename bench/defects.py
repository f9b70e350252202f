"""How well defects are predicted: in commits, and in files of repositories that no weight has seen.

    python -m bench.defects commits FOLDER
    python -m bench.defects files SCRATCH REPOSITORY...
    python -m bench.defects tracing SCRATCH REPOSITORY...

Folders and repositories are as `scripts/train_defects.py` describes them. Of commits the area under the curve
on the last fifth of each project is shown, of lines added alone and of the trees that ship, which were
trained on the first four fifths of four projects; where scikit-learn is there, also of trees trained on the
project alone. Of files it is that of size and of the model as it would have answered one to four years before
the last commit, and the share of what is mended that reading a fifth of the lines finds. `tracing` asks
`git blame` whether what fixes took away was there at the moment.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy
from scripts.train_defects import (
    CSV_COLUMNS,
    Snapshot,
    git,
    grown,
    halves,
    judged,
    read_commits,
    scored,
    snapshots,
)

from holdfast.analysis.defects.activity import DAY, YEAR
from holdfast.analysis.defects.commit_risk import shipped_trees
from holdfast.analysis.defects.logistic import area_under_curve, shipped
from holdfast.analysis.defects.prediction import SMALL_FILE, PastFiles
from holdfast.analysis.room import Analysis
from holdfast.storage.git.command import Git
from holdfast.storage.git.numstat import rows
from holdfast.storage.git.repository import Repository

BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01)
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))?", re.MULTILINE)
WHEN = re.compile(r"^committer-time (\d+)$", re.MULTILINE)
READ = 0.2
"""The share of all lines that somebody reads."""


def commits(folder: Path) -> None:
    found = []
    print("project | commits judged | lines added | shipped trees | trees of the project alone")
    for name, project in read_commits(folder).items():
        earlier, later = halves(project)
        added = area_under_curve(list(later[0][:, CSV_COLUMNS.index("la")]), list(later[1])) or 0.0
        own = judged(grown([earlier]), later) if find_spec("sklearn") else numpy.nan
        found.append((added, judged(shipped_trees(), later), own))
        print(name, len(later[1]), *(f"{area:.3f}" for area in found[-1]), sep=" | ", flush=True)
    print("mean", "", *(f"{area:.3f}" for area in numpy.mean(found, axis=0)), sep=" | ")


def answered(item: Snapshot) -> list[float]:
    """Return the probabilities that a user would have been told."""
    model = shipped("history")
    past = PastFiles(item["past"]["rows"], item["past"]["mended"])
    return scored(model.learned(*past) if past.teaches else model, item["rows"])


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


def files(scratch: Path, repositories: Sequence[Path]) -> None:
    told: list[tuple[float, bool]] = []
    heads = (
        "repository",
        "years back",
        "files",
        "mended",
        "size",
        "model",
        "lines taken away: size",
        "model",
    )
    print(*heads, "Brier", "of the rate", "in 20 % of lines: size", "model", "model per line", sep=" | ")
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
        dense = [score / max(size, SMALL_FILE) for score, size in zip(scores, sizes, strict=True)]
        caught = [found_in(item, order) for order in (sizes, scores, dense)]
        figures = (f"{number:.3f}" for number in (*areas, *briers, *caught))
        print(item["name"], item["back"], len(sizes), int(marks.sum()), *figures, sep=" | ", flush=True)
        told += zip(scores, item["mended"], strict=True)
    print("probability told | files | told on average | mended")
    for low, high in pairwise(BINS):
        inside = [(score, mark) for score, mark in told if low <= score < high]
        if inside:
            mean, rate = numpy.mean(inside, axis=0)
            print(f"{low:g} to {min(high, 1):g}", len(inside), f"{mean:.3f}", f"{rate:.3f}", sep=" | ")


def traced(clone: Path, moment: int) -> dict[str, bool]:
    """Return the files of which fixes took lines away in the year after, and whether some were there before.

    The lines are traced as SZZ does it, by `git blame` of the commit before the fix.
    """
    found: dict[str, bool] = {}
    room = Analysis(Repository.at(clone))
    with Git(room.repository) as run:
        fixes = [commit for commit in room.history.commits(run, moment) if commit.is_fix]
    room.close()
    for commit in (commit for commit in fixes if moment < commit.time <= moment + YEAR * DAY):
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


def tracing(scratch: Path, repositories: Sequence[Path]) -> None:
    print("repository | files with lines taken away | that were there before | size | model")
    for repository in repositories:
        [item] = snapshots(scratch, repository, (1,))
        clone = scratch / item["name"]
        moment = int(git(clone, "log", "-1", "--format=%ct", "origin/HEAD")) - YEAR * DAY
        found = traced(clone, moment)
        marks = [found.get(path, False) for path in item["files"]]
        orders = [float(row["code_lines"]) for row in item["rows"]], answered(item)
        areas = (f"{area_under_curve(order, marks) or 0.0:.3f}" for order in orders)
        known = found.keys() & set(item["files"])
        print(item["name"], len(known), sum(marks), *areas, sep=" | ", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["commits", folder]:
            commits(Path(folder))
        case ["files", scratch, *repositories]:
            files(Path(scratch), [Path(repository) for repository in repositories])
        case ["tracing", scratch, *repositories]:
            tracing(Path(scratch), [Path(repository) for repository in repositories])
        case _:
            sys.exit(__doc__)
