"""Predicts the probability that each file of a project needs a fix within a year, and why.

Contract
- A feature that was not measured is None, has a reason, lowers the confidence and does not add to the risk.
- The same files and history give the same prediction: its year starts with HEAD's newest commit.
- Predictions for a part of a repository are those for the whole repository, restricted to that part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from holdfast.analysis.churn.churn_report import TouchHistory
from holdfast.analysis.coverage.coverage_report import CoverageReport, coverage_of, report_stats
from holdfast.analysis.defects.activity import RECENT_DAYS, YEAR_DAYS, activity
from holdfast.analysis.defects.commit_risk import commit_risks
from holdfast.analysis.defects.defect_report import (
    PROBABILITY_DIGITS,
    SMALL_FILE_LINES,
    Baseline,
    DefectReport,
    Prediction,
    Risk,
    RiskyCommit,
)
from holdfast.analysis.defects.logistic import Model, area_under_curve, shipped_model
from holdfast.analysis.defects.measures import FEATURES, MEASURES, Measures, static_measures
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.clock import DAY_SECONDS, rfc3339_of_seconds
from holdfast.kernel.errors import NotFetched
from holdfast.kernel.text import one_line
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.incomplete_clone import shallow_commits

MIN_HIGH_PROBABILITY = 0.7
"""The minimum probability for the risk level High: a judgement, as a fix is then twice as likely as none."""
MIN_MEDIUM_PROBABILITY = 0.3
"""The minimum probability for the risk level Medium: a judgement, as no fix is twice as likely below it."""
CONFIDENCE_COSTS: Mapping[str, float] = {
    "complexity": 0.2,
    "churn": 0.35,
    "duplication": 0.05,
    "coupling": 0.05,
    "name_quality": 0.05,
    "test_coverage": 0.1,
}
"""How much each feature that was not measured lowers the confidence: a judgement. Without a history, no file
reaches the default minimum of 0.7; without a coverage report, most do."""
UNADAPTED_FACTOR = 0.9
"""Multiplies the confidence if the model was not adapted to the repository: a judgement."""
SMALL_FILE_FACTOR = 0.8
"""Multiplies the confidence of files with fewer than `SMALL_FILE_LINES` lines of code: a judgement."""
MIN_EXAMPLES = 15
"""Fixed files, and others, that adapting the model needs: a judgement, as 16 weights would fit noise."""
_NO_GIT = "this is not a git repository"
_NO_COMMIT = "there are no commits yet"
_SHALLOW = "this clone is shallow and lacks the last year's commits"
_PARTIAL = "this clone lacks the contents of older commits"
_FILE_REASONS = {
    "churn": "git does not track this file yet",
    "duplication": "its tokens could not be read",
    "name_quality": "the file defines no name",
    "test_coverage": "no coverage report includes this file",
}
"""Why a feature may be missing for a file if there is no reason that concerns all files."""
_MEASURES_OF_SIZE = ("code_lines", "cyclomatic", "cognitive")
"""The measures that grow with a file."""
_MAX_RISKY_COMMITS = 5
"""Commits listed as risky: a judgement, as many as one would review again."""


class RankingAreas(NamedTuple):
    """The areas under the ROC curve of two rankings of the same files; 0 if undefined."""

    by_model: float
    by_size: float


class TrainingSet(NamedTuple):
    """The measures of files a year ago, and whether each was fixed since."""

    rows: Sequence[Measures]
    fixed: Sequence[bool]

    @property
    def is_sufficient(self) -> bool:
        """Whether there are enough fixed files, and enough others."""
        return MIN_EXAMPLES <= sum(self.fixed) <= len(self.fixed) - MIN_EXAMPLES

    def areas(self, model: Model) -> RankingAreas:
        probabilities = [model.probability(row) for row in self.rows]
        sizes = [row["code_lines"] or 0.0 for row in self.rows]
        return RankingAreas(
            by_model=area_under_curve(probabilities, self.fixed) or 0.0,
            by_size=area_under_curve(sizes, self.fixed) or 0.0,
        )


@dataclass(frozen=True)
class DefectHistory:
    """The last two years of a project's history, and the measures and model computed from it."""

    touches: TouchHistory
    now: int
    """The time of HEAD's newest commit in epoch seconds, at which the last year ends."""
    static_measures: Mapping[str, Measures]
    """The current measures of each file that need no history."""
    lines: Mapping[str, int]
    """The current number of lines of each file."""

    @cached_property
    def risks(self) -> list[float]:
        """The risk of each commit, in the order of `touches.commits`."""
        return commit_risks(self.touches, self.lines)

    @cached_property
    def recent_activity(self) -> Mapping[str, Measures]:
        """The measures of the last year's activity in each file that git tracks."""
        tracked = [path for path in self.lines if path in self.touches.present]
        return {path: activity(self.touches, path, self.now, self.risks).measures for path in tracked}

    @cached_property
    def training_set(self) -> TrainingSet:
        """The files that existed a year ago, each with estimates of its measures at that time.

        Activity is that of the year before. Size and complexity are scaled from their current values by the
        change in lines; all other measures are the current ones.
        """
        rows, fixed = [], []
        for path in self.recent_activity:
            former_activity = activity(self.touches, path, self.now - YEAR_DAYS * DAY_SECONDS, self.risks)
            former_lines = self.lines[path] - former_activity.growth
            if former_lines > 0:  # else it did not exist
                scale = former_lines / (self.lines[path] or former_lines)
                current = self.static_measures[path]
                scaled = {name: (current[name] or 0) * scale for name in _MEASURES_OF_SIZE}
                rows.append({**current, **scaled, **former_activity.measures})
                fixed.append(former_activity.is_fixed)
        return TrainingSet(rows, fixed)

    @cached_property
    def model(self) -> Model:
        """The shipped model, adapted to this history if it is sufficient."""
        model = shipped_model("history")
        return model.adapt_to(*self.training_set) if self.training_set.is_sufficient else model

    @cached_property
    def baseline(self) -> Baseline:
        """How well the model ranks files, by two-fold cross-validation."""
        rows, fixed = self.training_set
        baseline = Baseline(files=len(rows), mended=sum(fixed))  # the alias of `fixed`
        if not self.training_set.is_sufficient:
            reason = f"fewer than {MIN_EXAMPLES} files were fixed in the last year, or were not"
            return baseline.model_copy(update={"reason": reason})
        even, odd = (TrainingSet(rows[start::2], fixed[start::2]) for start in (0, 1))
        shipped = shipped_model("history")
        # Each half is ranked by a model that was adapted to the other.
        folds = even.areas(shipped.adapt_to(*odd)), odd.areas(shipped.adapt_to(*even))
        means = {
            "model_auc": round(sum(fold.by_model for fold in folds) / 2, 3),
            "size_auc": round(sum(fold.by_size for fold in folds) / 2, 3),
        }
        return baseline.model_copy(update=means)

    @property
    def commits(self) -> tuple[RiskyCommit, ...]:
        """The riskiest recent commits, the riskiest first."""
        recent = [
            (risk, commit)
            for commit, risk in zip(self.touches.commits, self.risks, strict=True)
            if risk and self.now - commit.time <= RECENT_DAYS * DAY_SECONDS
        ]
        recent.sort(key=lambda pair: (-pair[0], -pair[1].time, pair[1]))
        return tuple(
            RiskyCommit(
                id=commit.id,
                committed_at=rfc3339_of_seconds(commit.time),
                subject=one_line(commit.subject),
                risk=risk,
            )
            for risk, commit in recent[:_MAX_RISKY_COMMITS]
        )


class MeasuredFiles(NamedTuple):
    """All measures of the files of a project, and why some are missing."""

    static_measures: Mapping[str, Measures]
    """The measures of each file that need no history."""
    history: DefectHistory | None
    coverage: CoverageReport
    reasons: Mapping[str, str]
    """The features that are missing for all files, with the reasons."""

    def measures(self, path: str) -> Measures:
        """Return the measures of a file; what was not measured is None or absent."""
        measures = dict(self.static_measures[path])
        if self.history is not None:
            measures.update(self.history.recent_activity.get(path, {}))
        coverage = self.coverage.files.get(path)
        if coverage is not None and coverage.parts.total:
            measures["uncovered_share"] = 1 - coverage.parts.covered / coverage.parts.total
        return measures

    def missing(self, measures: Measures) -> dict[str, str]:
        """Return the features of a file that were not measured, with the reasons."""
        missing = dict.fromkeys(measure.feature for measure in MEASURES if measures.get(measure.name) is None)
        return {feature: self.reasons.get(feature) or _FILE_REASONS[feature] for feature in missing}


def predictions(room: Analysis, project: Project, scan: Scan) -> DefectReport:
    """Predict the probability of a fix for each file of a project, the most probable first."""
    files = measured_files(room, project, scan)
    model = files.history.model if files.history else shipped_model("static")
    ranked = [_predict(path, files, model) for path in scan.files]
    ranked.sort(key=lambda prediction: (-prediction.probability, prediction.file))
    return DefectReport(tuple(ranked), model, files.history or files.reasons["churn"])


def cached_predictions(room: Analysis, project: Project, scan: Scan) -> DefectReport:
    """Return predictions, cached until a file, the last commit or a coverage report changes."""
    reports = report_stats(Tree(room.repository), project.path)
    key = f"predictions {project} {room.history.head()} {reports}"
    _, whole_scan = _training_scope(room, project, scan)
    return room.cached(key, whole_scan, lambda: predictions(room, project, scan))


def _training_scope(room: Analysis, project: Project, scan: Scan) -> tuple[Project, Scan]:
    """Return the repository, to train on all of it, or the project itself if that has other files."""
    whole = replace(project, path="", max_depth=None)
    whole_scan = scan if project == whole else room.scan(whole)
    return (whole, whole_scan) if scan.files.keys() <= whole_scan.files.keys() else (project, scan)


def measured_files(room: Analysis, project: Project, scan: Scan) -> MeasuredFiles:
    """Return all measures of a project's files, and its history if there is one."""
    training_scope = _training_scope(room, project, scan)
    measures = static_measures(room, *training_scope)
    history = _history(room, *training_scope, measures)
    coverage = coverage_of(Tree(room.repository), room.repository.root, project.path, scan.files.keys())
    reasons = {"test_coverage": coverage.reason or ""}
    if isinstance(history, str):
        return MeasuredFiles(measures, None, coverage, reasons | {"churn": history})
    return MeasuredFiles(measures, history, coverage, reasons)


def _history(
    room: Analysis, project: Project, scan: Scan, measures: Mapping[str, Measures]
) -> DefectHistory | str:
    """Return the history of the files, or why there is none."""
    try:
        touches = room.history.touches(2 * YEAR_DAYS)
    except NotFetched:
        return _PARTIAL
    now = room.history.head_time()
    if touches is None or now is None:
        return _NO_GIT if room.repository.git_dir is None else _NO_COMMIT
    oldest = min((commit.time for commit in touches.commits), default=0)
    if shallow_commits(room.repository) and now - oldest < YEAR_DAYS * DAY_SECONDS:
        return _SHALLOW
    lines = {path: record.lines for path, record in scan.files.items()}
    key = f"defects of {project} after {room.history.head()}"
    return room.cached(key, scan, lambda: DefectHistory(touches, now, measures, lines))


def _predict(path: str, files: MeasuredFiles, model: Model) -> Prediction:
    measures = files.measures(path)
    missing = files.missing(measures)
    contributions = model.contributions(measures)
    by_feature = dict.fromkeys(("size", *FEATURES), 0.0)
    for measure in MEASURES:
        by_feature[measure.feature] += contributions[measure.name]
    # The first measure of each feature represents it: it is the last that the reversed order assigns.
    main_measures = {measure.feature: measure.name for measure in reversed(MEASURES)}
    probability = round(model.probability_from(contributions), PROBABILITY_DIGITS)
    return Prediction(
        path,
        probability,
        confidence=_confidence(model, measures, missing),
        risk=_risk_level(probability),
        features={name: None if name in missing else measures.get(main_measures[name]) for name in FEATURES},
        missing=missing,
        measures=measures,
        contributions={name: round(contribution, 3) for name, contribution in by_feature.items()},
    )


def _confidence(model: Model, measures: Measures, missing: Iterable[str]) -> float:
    confidence = 1 - sum(CONFIDENCE_COSTS[feature] for feature in missing)
    if not model.learned_here:
        confidence *= UNADAPTED_FACTOR
    if (measures["code_lines"] or 0) < SMALL_FILE_LINES:
        confidence *= SMALL_FILE_FACTOR
    return round(confidence, 2)


def _risk_level(probability: float) -> Risk:
    if probability >= MIN_HIGH_PROBABILITY:
        return "High"
    return "Medium" if probability >= MIN_MEDIUM_PROBABILITY else "Low"
