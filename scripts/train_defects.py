"""Train the models of defects, and evaluate them on data they were not trained on.

    python -m scripts.train_defects commits FOLDER
    python -m scripts.train_defects files SCRATCH REPOSITORY...

FOLDER has commits of several projects as `PROJECT_k_feature.csv`: Kamei's features, `date` and `bug`. This
needs scikit-learn. REPOSITORY is a clone with its whole history. Each is cloned to SCRATCH and measured, with
the code that users run, as of one to four years before its last commit; the labels come from the following
year. Measurements are cached in SCRATCH.
"""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy

from holdfast.analysis.defects.activity import YEAR_DAYS
from holdfast.analysis.defects.commit_risk import BoostedTrees, percentile_ranks, with_ratios
from holdfast.analysis.defects.logistic import Model, area_under_curve, design_matrix, map_estimate
from holdfast.analysis.defects.measures import MEASURES
from holdfast.analysis.defects.prediction import TrainingSet, measured_files
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.kernel.clock import DAY_SECONDS
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.numstat import rows
from holdfast.storage.git.repository import Repository

TARGET = Path(__file__).resolve().parent.parent / "src" / "holdfast" / "analysis" / "defects"
CSV_COLUMNS = ("ns", "nd", "nf", "entrophy", "la", "ld", "lt", "fix", "age")
"""The column names in the data, misspelling included."""
SPLIT = 0.8
TREES = {
    "max_iter": 200,
    "learning_rate": 0.05,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 100,
    "random_state": 1,
}
YEARS_BACK = (1, 2, 3, 4)
ASSUMED = {"uncovered_share": 0.4}
"""Public histories have no coverage reports, so this weight is assumed, and reported as such."""
FEWEST = 5
"""Years in which fewer files were fixed are not evaluated; a judgement."""
VARIANCES = (0.001, 0.003, 0.01)
VARIANCE = 0.003
"""The prior variance, chosen among these by the printed comparison."""
STATIC_PARTS = {"size", "complexity", "coupling", "duplication", "name_quality"}

Table = tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any]]
Snapshot = dict[str, Any]


def read_commits(folder: Path) -> dict[str, Table]:
    """Return the features and labels of each project's commits by time; features rank in the first part."""
    projects: dict[str, Table] = {}
    for path in sorted(folder.glob("*_k_feature.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = sorted(csv.DictReader(file), key=lambda row: float(row["date"]))
        numbers = numpy.asarray([[float(row[name] or 0) for name in CSV_COLUMNS] for row in rows])
        numbers[:, 2] = numpy.maximum(numbers[:, 2], 1)  # the number of files, which is a divisor
        numbers = with_ratios(numbers)
        labels = numpy.asarray([float(row["bug"]) > 0 for row in rows])
        known = numbers[: int(SPLIT * len(rows))]
        projects[path.name.partition("_")[0]] = percentile_ranks(known, numbers), labels
    return projects


def halves(project: Table) -> tuple[Table, Table]:
    """Return the earlier four fifths of a project's commits, and the rest."""
    rows, labels = project
    at = int(SPLIT * len(labels))
    return (rows[:at], labels[:at]), (rows[at:], labels[at:])


def grown(projects: Sequence[Table]) -> BoostedTrees:
    """Return trees trained on the commits of projects."""
    boosting = import_module("sklearn.ensemble").HistGradientBoostingClassifier(**TREES)
    rows, labels = (numpy.concatenate(part) for part in zip(*projects, strict=True))
    boosting.fit(rows, labels)
    trees = BoostedTrees(float(boosting._baseline_prediction.item()), [], [], [], [], [], [])
    for (predictor,) in boosting._predictors:
        first = len(trees.value)
        trees.roots.append(first)
        for node in predictor.nodes:
            is_leaf = bool(node["is_leaf"])
            trees.column.append(0 if is_leaf else int(node["feature_idx"]))
            trees.threshold.append(0.0 if is_leaf else round(float(node["num_threshold"]), 5))
            trees.left.append(-1 if is_leaf else first + int(node["left"]))
            trees.right.append(-1 if is_leaf else first + int(node["right"]))
            trees.value.append(round(float(node["value"]), 5) if is_leaf else 0.0)
    return trees


def curve_area(trees: BoostedTrees, project: Table) -> float:
    """Return the area under the ROC curve on commits."""
    rows, labels = project
    return area_under_curve(list(trees.risk(rows)), list(labels)) or 0.0


def train_commits(folder: Path) -> None:
    """Train the trees on the earlier commits of all projects, and evaluate them on the later ones."""
    parts = {name: halves(project) for name, project in read_commits(folder).items()}
    trees = grown([earlier for earlier, _ in parts.values()])
    print("project      own   pooled  others")
    found = []
    for name, (earlier, later) in parts.items():
        others = [part for other, (part, _) in parts.items() if other != name]
        found.append(
            (curve_area(grown([earlier]), later), curve_area(trees, later), curve_area(grown(others), later))
        )
        print(f"{name:10}", *(f"{area:7.3f}" for area in found[-1]), flush=True)
    print(f"{'mean':10}", *(f"{area:7.3f}" for area in numpy.mean(found, axis=0)))
    packed = gzip.compress(json.dumps(trees._asdict(), separators=(",", ":")).encode(), mtime=0)
    (TARGET / "commits.json.gz").write_bytes(packed)
    print(f"{len(packed):,} bytes")


def git(folder: Path, *arguments: str) -> str:
    """Run git."""
    return subprocess.run(
        ("git", "-C", str(folder), *arguments), check=True, capture_output=True, text=True, errors="replace"
    ).stdout


def snapshots(scratch: Path, source: Path, years: Sequence[int] = YEARS_BACK) -> list[Snapshot]:
    """Return the measures of a repository's files some years ago, and which were fixed afterwards."""
    name = (source.parent if source.name == "repo" else source).name
    clone = scratch / name
    if not clone.exists():
        subprocess.run(("git", "clone", "-q", "--shared", "--no-checkout", source, clone), check=True)
    last = git(clone, "log", "-1", "--format=%H %ct", "origin/HEAD").split()
    found = []
    for back in years:
        time = int(last[1]) - back * YEAR_DAYS * DAY_SECONDS
        cached = scratch / f"{name}.{back}.json"
        if not cached.exists():
            commit = git(clone, "rev-list", "-1", f"--before={time}", last[0]).strip()
            if not commit:
                continue
            git(clone, "checkout", "-q", "--force", commit)
            measured = measure(clone, time, last[0])
            cached.write_text(json.dumps(measured | {"name": name, "back": back}), encoding="utf-8")
        found.append(json.loads(cached.read_text(encoding="utf-8")))
    return found


def measure(clone: Path, time: int, last: str) -> Snapshot:
    """Return the measures of the checked-out files, and labels from the later history."""
    repository = Repository.at(clone)
    room = Analysis(repository)  # counts back from the checked-out commit
    try:
        scan = room.scan(Project())
        files = measured_files(room, Project(), scan)
        past = None if files.history is None else files.history.training_set
        rows = {path: dict(files.measures(path)) for path in files.static_measures}
        git(clone, "checkout", "-q", "--force", last)
        mended = fixed_after(room, repository, time)
    finally:
        room.close()
    return {
        "files": list(rows),
        "rows": list(rows.values()),
        "mended": [path in mended for path in rows],
        "traced": [mended.get(path, False) for path in rows],
        "past": past and {"rows": [dict(row) for row in past.rows], "mended": list(past.fixed)},
    }


def fixed_after(room: Analysis, repository: Repository, time: int) -> dict[str, bool]:
    """Return the files, by their names at a time, that a fix changed in the following year.

    Each with whether a fix deleted lines of it: only such a fix can be traced to the change that it repairs.
    """
    names: dict[str, str] = {}
    fixed: dict[str, bool] = {}
    with Git(repository) as found:
        for commit in reversed(list(room.history.commits(found, time))):
            for path, former, _, deleted in rows(commit.changes):
                if former:
                    names[path] = names.get(former, former)
                is_within = time < commit.time <= time + YEAR_DAYS * DAY_SECONDS
                if commit.is_fix and is_within:
                    current = names.get(path, path)
                    fixed[current] = fixed.get(current, False) or deleted not in ("-", "0")
    return fixed


def pooled(
    found: Sequence[Snapshot], parts: set[str] | None = None, variance: float = 1.0
) -> tuple[float, dict[str, float]]:
    """Return the common intercept and weights of repositories, which are weighted equally."""
    wanted = [place for place, it in enumerate(MEASURES, 1) if parts is None or it.feature in parts]
    names = sorted({item["name"] for item in found})
    tables, labels = [], []
    for item in found:
        part = design_matrix(item["rows"])[:, wanted]
        own = numpy.zeros((len(part), len(names)))
        own[:, names.index(item["name"])] = 1
        tables.append(numpy.hstack([own, part]))
        labels.append(numpy.asarray(item["mended"], dtype=float))
    together, marks = numpy.vstack(tables), numpy.concatenate(labels)
    counts = together[:, : len(names)].sum(axis=0)
    scale = (together[:, : len(names)] / counts).sum(axis=1) * numpy.mean(counts)
    width = len(names) + len(wanted)
    spread = numpy.full(width, variance)
    spread[: len(names)] = 9.0
    floor = numpy.zeros(width)
    floor[: len(names)] = -numpy.inf
    prior = numpy.zeros(width)
    prior[: len(names)] = -2.0
    coefficients = map_estimate(together, marks, prior, spread, floor, scale)
    weights = {
        MEASURES[place - 1].name: round(float(weight), 4)
        for place, weight in zip(wanted, coefficients[len(names) :], strict=True)
    }
    return round(float(coefficients[: len(names)].mean()), 4), {
        name: weight for name, weight in weights.items() if weight
    }


def model_of(found: Sequence[Snapshot], name: str, variance: float) -> Model:
    """Return the model trained on snapshots."""
    parts = STATIC_PARTS if name == "static" else None
    intercept, weights = pooled(found, parts)
    return Model(
        name=name,
        intercept=intercept,
        weights=weights | ASSUMED,
        assumed=list(ASSUMED),
        variance=variance,
        trained_on=sum(len(item["files"]) for item in found),
    )


def scored(model: Model, rows: Sequence[dict[str, float | None]]) -> list[float]:
    """Return the probability of each file."""
    return [model.probability(row) for row in rows]


def compared(item: Snapshot, models: Sequence[Model]) -> tuple[float, ...]:
    """Return the ROC areas of size and of the static, pooled and learned models, and Brier scores."""
    past = TrainingSet(item["past"]["rows"], item["past"]["mended"])
    learned = models[1].adapt_to(*past) if past.is_sufficient else models[1]
    scores = [[float(row["code_lines"]) for row in item["rows"]]]
    scores += [scored(model, item["rows"]) for model in (*models, learned)]
    areas = [area_under_curve(score, item["mended"]) or 0.0 for score in scores]
    marks = numpy.asarray(item["mended"], dtype=float)
    briers = [float(numpy.mean((numpy.asarray(score) - marks) ** 2)) for score in scores[2:]]
    return (*areas, *briers, float(marks.var()))


def train_files(scratch: Path, repositories: Sequence[Path]) -> None:
    """Train the model of files, and evaluate it on each repository by training on the others."""
    found = []
    for repository in repositories:
        try:
            found += snapshots(scratch, repository)
        except (HoldfastError, subprocess.CalledProcessError) as failure:
            print(f"{repository}: left out, {failure}")
        print(f"{repository.parent.name:24}", len(found), "snapshots", flush=True)
    found = [item for item in found if any(item["mended"])]
    for variance in VARIANCES:
        print(f"variance {variance}: years; area of size, static, pooled, learned; Brier scores; rate")
        means = []
        for name in sorted({item["name"] for item in found}):
            others = [other for other in found if other["name"] != name]
            models = [model_of(others, kind, variance) for kind in ("static", "history")]
            judged_on = [item for item in found if item["name"] == name and sum(item["mended"]) >= FEWEST]
            if judged_on:
                means.append(numpy.mean([compared(item, models) for item in judged_on], axis=0))
                print(f"{name:24} {len(judged_on)}", *(f"{number:.3f}" for number in means[-1]), flush=True)
        print(f"{'mean':26}", *(f"{number:.3f}" for number in numpy.mean(means, axis=0)))
    omitted = {"name", "learned_here"}
    kinds = ("history", "static")
    shipped = {kind: model_of(found, kind, VARIANCE).model_dump(exclude=omitted) for kind in kinds}
    (TARGET / "files.json").write_text(json.dumps(shipped, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["commits", folder]:
            train_commits(Path(folder))
        case ["files", scratch, *repositories]:
            train_files(Path(scratch), [Path(repository) for repository in repositories])
        case _:
            sys.exit(__doc__)
