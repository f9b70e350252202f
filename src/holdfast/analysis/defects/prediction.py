"""Predicts the probability that each file of a project needs a fix within a year, and why.

Contract
- A feature that was not measured is None, has a reason, lowers the confidence and adds nothing to the risk.
- The same files, history and day give the same prediction.
- Predictions for a part of a repository are those for the whole repository, restricted to that part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from holdfast.analysis.churn.churn_report import Touched
from holdfast.analysis.coverage.coverage_report import CoverageReport, coverage_of, reports_seen
from holdfast.analysis.defects.activity import DAY, RECENT, YEAR, activity
from holdfast.analysis.defects.commit_risk import commit_risks
from holdfast.analysis.defects.defect_report import (
    DIGITS,
    SMALL_FILE,
    Baseline,
    DefectReport,
    Prediction,
    RiskyCommit,
)
from holdfast.analysis.defects.logistic import Model, area_under_curve, shipped
from holdfast.analysis.defects.measures import FEATURES, MEASURES, Measures, static_measures
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import NotFetched
from holdfast.kernel.text import one_line
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.history.log_stream import shallow_commits

HIGH, MEDIUM = 0.7, 0.3
"""The least probability of each risk level: a convention."""
COSTS: Mapping[str, float] = {
    "complexity": 0.2,
    "churn": 0.35,
    "duplication": 0.05,
    "coupling": 0.05,
    "name_quality": 0.05,
    "test_coverage": 0.1,
}
"""How much each feature that was not measured lowers the confidence: a convention, not a measurement."""
UNADAPTED_FACTOR = 0.9
"""Multiplies the confidence if the model was not adapted to the repository: a convention."""
SMALL_FILE_FACTOR = 0.8
"""Multiplies the confidence of files with fewer than `SMALL_FILE` lines of code: a convention."""
MIN_EXAMPLES = 15
"""With fewer files that were fixed, or that were not, the model is not adapted. A judgement:
the sixteen weights would fit noise."""
_NO_GIT = "this is not a git repository"
_NO_COMMIT = "there are no commits yet"
_SHALLOW = "this clone is shallow and lacks the last year's commits"
_PARTIAL = "this clone is partial and lacks the contents of older commits"
_FILE_REASONS = {
    "churn": "git does not track this file yet",
    "duplication": "its tokens could not be read",
    "name_quality": "the file defines no name",
    "test_coverage": "no coverage report includes this file",
}
_COMMITS = 5


class PastFiles(NamedTuple):
    """The measures of files a year ago, and whether they were fixed since: training data."""

    rows: Sequence[Measures]
    fixed: Sequence[bool]

    @property
    def is_sufficient(self) -> bool:
        """Whether there are enough fixed files, and enough others."""
        return MIN_EXAMPLES <= sum(self.fixed) <= len(self.fixed) - MIN_EXAMPLES

    def areas(self, model: Model) -> tuple[float, float]:
        """Return the areas under the ROC curve for a model and for size."""
        scores = (
            [model.probability(row) for row in self.rows],
            [row["code_lines"] or 0.0 for row in self.rows],
        )
        first, second = (area_under_curve(found, self.fixed) or 0.0 for found in scores)
        return first, second


@dataclass(frozen=True)
class DefectHistory:
    """The last two years of a project's history, and the measures and model that follow from it."""

    touched: Touched
    now: int
    static: Mapping[str, Measures]
    lines: Mapping[str, int]

    @cached_property
    def risks(self) -> list[float]:
        """Return the risk of each commit."""
        return commit_risks(self.touched, self.lines)

    @cached_property
    def present(self) -> Mapping[str, Measures]:
        """Return the measures of last year's activity in each file that git tracks."""
        tracked = filter(self.touched.present.__contains__, self.lines)
        return {path: activity(self.touched, path, self.now, self.risks).measures for path in tracked}

    @cached_property
    def past(self) -> PastFiles:
        """Return the files that existed a year ago, with their measures at that time.

        Size and activity are those of a year ago. Other measures are the current ones, with complexity scaled
        by the change in lines.
        """
        rows, fixed = [], []
        for path in self.present:
            found = activity(self.touched, path, self.now - YEAR * DAY, self.risks)
            former_lines, static = self.lines[path] - found.growth, self.static[path]
            if former_lines > 0:
                share = former_lines / (self.lines[path] or former_lines)
                sizes = ("code_lines", "cyclomatic", "cognitive")
                scaled = {name: (static[name] or 0) * share for name in sizes}
                rows.append({**static, **scaled, **found.measures})
                fixed.append(found.is_fixed)
        return PastFiles(rows, fixed)

    @cached_property
    def model(self) -> Model:
        """Return the shipped model, adapted to this history if it is sufficient."""
        model = shipped("history")
        return model.fitted_to(*self.past) if self.past.is_sufficient else model

    @cached_property
    def baseline(self) -> Baseline:
        """Return how well the model ranks files, by two-fold cross-validation."""
        past = self.past
        counted = Baseline(files=len(past.rows), mended=sum(past.fixed))
        if not past.is_sufficient:
            reason = f"fewer than {MIN_EXAMPLES} files were fixed in the last year, or were not"
            return counted.model_copy(update={"reason": reason})
        halves = [PastFiles(past.rows[which::2], past.fixed[which::2]) for which in (0, 1)]
        areas = [
            half.areas(shipped("history").fitted_to(*other))
            for half, other in zip(halves, reversed(halves), strict=True)
        ]
        model, size = (round(sum(found) / 2, 3) for found in zip(*areas, strict=True))
        return counted.model_copy(update={"model_auc": model, "size_auc": size})

    @property
    def commits(self) -> tuple[RiskyCommit, ...]:
        """Return the riskiest commits of the last 90 days."""
        found = [
            (-risk, -commit.time, commit)
            for commit, risk in zip(self.touched.commits, self.risks, strict=True)
            if risk and self.now - commit.time <= RECENT * DAY
        ]
        return tuple(
            RiskyCommit(
                id=commit.id,
                committed_at=rfc3339_of_seconds(commit.time),
                subject=one_line(commit.subject),
                risk=-risk,
            )
            for risk, _, commit in sorted(found)[:_COMMITS]
        )


class MeasuredFiles(NamedTuple):
    """All measures of the files of a project, and why some are missing."""

    static: Mapping[str, Measures]
    history: DefectHistory | None
    coverage: CoverageReport
    reasons: Mapping[str, str]
    """Why a feature is missing for all files, by feature."""

    def measures(self, path: str) -> Measures:
        """Return the measures of one file."""
        found = {**self.static[path], **(self.history.present.get(path, {}) if self.history else {})}
        reported = self.coverage.files.get(path)
        if reported is not None and reported.total:
            found["uncovered_share"] = 1 - reported.covered / reported.total
        return found

    def missing(self, measures: Measures) -> dict[str, str]:
        """Return why features of a file were not measured, by feature."""
        lacking = dict.fromkeys(it.feature for it in MEASURES if measures.get(it.name) is None)
        return {feature: self.reasons.get(feature) or _FILE_REASONS[feature] for feature in lacking}


def predictions(room: Analysis, project: Project, scan: Scan) -> DefectReport:
    """Predict the probability of a fix for each file of a project."""
    files = measured_files(room, project, scan)
    model = files.history.model if files.history else shipped("static")
    found = [_prediction(path, files, model) for path in scan.files]
    found.sort(key=lambda it: (-it.probability, it.file))
    return DefectReport(tuple(found), model, files.history or files.reasons["churn"])


def cached_predictions(room: Analysis, project: Project, scan: Scan) -> DefectReport:
    """Return cached predictions, renewed if a file, the last commit, a coverage report or the day changed."""
    day, reports = int(room.clock().timestamp()) // DAY, reports_seen(Tree(room.repository), project.path)
    key = f"predictions {project} {room.history.head()} {day} {reports}"
    _, whole_scan = _training_scope(room, project, scan)
    return room.cached(key, whole_scan, lambda: predictions(room, project, scan))


def _training_scope(room: Analysis, project: Project, scan: Scan) -> tuple[Project, Scan]:
    """Return the repository as the scope to train on, or the project itself if that is excluded from it."""
    whole = replace(project, path="", max_depth=None)
    whole_scan = scan if project == whole else room.scan(whole)
    return (whole, whole_scan) if scan.files.keys() <= whole_scan.files.keys() else (project, scan)


def measured_files(room: Analysis, project: Project, scan: Scan) -> MeasuredFiles:
    """Measure the files of a project."""
    training_scope = _training_scope(room, project, scan)
    static = static_measures(room, *training_scope)
    history = _history(room, *training_scope, static)
    coverage = coverage_of(Tree(room.repository), room.repository.root, project.path, scan.files.keys())
    reasons = {"test_coverage": coverage.reason or ""}
    if isinstance(history, str):
        return MeasuredFiles(static, None, coverage, reasons | {"churn": history})
    return MeasuredFiles(static, history, coverage, reasons)


def _history(
    room: Analysis, project: Project, scan: Scan, static: Mapping[str, Measures]
) -> DefectHistory | str:
    """Return the history of the files, or why there is none."""
    now = int(room.clock().timestamp())
    try:
        touched = room.history.touched(now, 2 * YEAR)
    except NotFetched:
        return _PARTIAL
    if touched is None:
        return _NO_GIT if room.repository.git_dir is None else _NO_COMMIT
    oldest = min((commit.time for commit in touched.commits), default=0)
    if shallow_commits(room.repository) and now - oldest < YEAR * DAY:
        return _SHALLOW
    lines = {path: record.lines for path, record in scan.files.items()}
    key = f"defects of {project} after {room.history.head()} on day {now // DAY}"
    return room.cached(key, scan, lambda: DefectHistory(touched, now, static, lines))


def _prediction(path: str, files: MeasuredFiles, model: Model) -> Prediction:
    measures = files.measures(path)
    missing = files.missing(measures)
    parts = dict.fromkeys(("size", *FEATURES), 0.0)
    contributions = model.contributions(measures)
    for measure in MEASURES:
        parts[measure.feature] += contributions[measure.name]
    probability = round(model.probability_of(contributions), DIGITS)
    confidence = (1 - sum(COSTS[name] for name in missing)) * (1 if model.learned_here else UNADAPTED_FACTOR)
    is_small = (measures["code_lines"] or 0) < SMALL_FILE
    first = {measure.feature: measure.name for measure in reversed(MEASURES)}
    return Prediction(
        path,
        probability,
        round(confidence * (SMALL_FILE_FACTOR if is_small else 1), 2),
        "High" if probability >= HIGH else "Medium" if probability >= MEDIUM else "Low",
        {name: None if name in missing else measures.get(first[name]) for name in FEATURES},
        missing,
        measures,
        {name: round(part, 3) for name, part in parts.items()},
    )
