"""How probable it is that each file of a project is mended within a year, how sure that is, and why.

Contract
- A feature that was not measured is None, has a reason, lowers the confidence and adds nothing to the risk.
- The same files, history and day give the same answer.
- A file is judged among those of its repository, whatever part of it is asked about.
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
"""From which probability on a risk is called so."""
COSTS: Mapping[str, float] = {
    "complexity": 0.2,
    "churn": 0.35,
    "duplication": 0.05,
    "coupling": 0.05,
    "name_quality": 0.05,
    "test_coverage": 0.1,
}
"""What confidence loses where a feature is not measured: a convention, not a measurement."""
NOT_LEARNED = 0.9
"""What confidence is multiplied by where the repository's own history has taught the model nothing."""
OF_SMALL_FILES = 0.8
"""What confidence is multiplied by for files with fewer than `SMALL_FILE` lines of code."""
LEAST_MENDED = 15
"""With fewer files that were mended, or that were not, a history teaches nothing."""
_NO_GIT = "this is no git repository"
_NO_COMMIT = "there is no commit yet"
_SHALLOW = "this clone is shallow and lacks the last year's commits"
_PARTIAL = "this clone is partial and lacks contents of older commits"
_OF_ONE_FILE = {
    "churn": "git does not track this file yet",
    "duplication": "its tokens could not be told apart",
    "name_quality": "the file defines no name",
    "test_coverage": "no report speaks of this file",
}
_COMMITS = 5


class PastFiles(NamedTuple):
    """Files as they were a year ago, and whether they were mended since."""

    rows: Sequence[Measures]
    mended: Sequence[bool]

    @property
    def teaches(self) -> bool:
        """Whether there are enough of both kinds."""
        return LEAST_MENDED <= sum(self.mended) <= len(self.mended) - LEAST_MENDED

    def areas(self, model: Model) -> tuple[float, float]:
        """Return the areas under the curve of a model and of size."""
        scores = (
            [model.probability(row) for row in self.rows],
            [row["code_lines"] or 0.0 for row in self.rows],
        )
        first, second = (area_under_curve(found, self.mended) or 0.0 for found in scores)
        return first, second


@dataclass(frozen=True)
class FileHistory:
    """What the history of a project tells of its files."""

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
        """Return what happened in the last year to the files that git tracks."""
        tracked = filter(self.touched.present.__contains__, self.lines)
        return {path: activity(self.touched, path, self.now, self.risks).measures for path in tracked}

    @cached_property
    def past(self) -> PastFiles:
        """Return the files that were there a year ago as they were then.

        Their size and activity are those of then. What else the texts tell is taken from now, complexity in
        proportion to the lines.
        """
        rows, mended = [], []
        for path in self.present:
            found = activity(self.touched, path, self.now - YEAR * DAY, self.risks)
            then, static = self.lines[path] - found.growth, self.static[path]
            if then > 0:
                share = then / (self.lines[path] or then)
                sizes = ("code_lines", "cyclomatic", "cognitive")
                scaled = {name: (static[name] or 0) * share for name in sizes}
                rows.append({**static, **scaled, **found.measures})
                mended.append(found.mended)
        return PastFiles(rows, mended)

    @cached_property
    def model(self) -> Model:
        """Return the model that ships, moved by this history where it teaches something."""
        model = shipped("history")
        return model.learned(*self.past) if self.past.teaches else model

    @cached_property
    def baseline(self) -> Baseline:
        """Return how well the model orders half of the files when it has learned from the others."""
        past = self.past
        counted = Baseline(files=len(past.rows), mended=sum(past.mended))
        if not past.teaches:
            reason = f"fewer than {LEAST_MENDED} files were mended in the last year, or were not"
            return counted.model_copy(update={"reason": reason})
        halves = [PastFiles(past.rows[which::2], past.mended[which::2]) for which in (0, 1)]
        areas = [
            half.areas(shipped("history").learned(*other))
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
    """Everything that was measured of the files of a project, and why the rest was not."""

    static: Mapping[str, Measures]
    history: FileHistory | None
    coverage: CoverageReport
    reasons: Mapping[str, str]
    """Why a feature is missing of all files."""

    def measures(self, path: str) -> Measures:
        """Return what was measured of one file."""
        found = {**self.static[path], **(self.history.present.get(path, {}) if self.history else {})}
        told = self.coverage.files.get(path)
        if told is not None and told.total:
            found["uncovered_share"] = 1 - told.covered / told.total
        return found

    def missing(self, measures: Measures) -> dict[str, str]:
        """Return the features that a file lacks, with the reasons."""
        lacking = dict.fromkeys(it.part for it in MEASURES if measures.get(it.name) is None)
        return {part: self.reasons.get(part) or _OF_ONE_FILE[part] for part in lacking}


def predictions(room: Analysis, project: Project, scan: Scan) -> DefectReport:
    """Return what is to be expected of the files of a project."""
    files = measured_files(room, project, scan)
    model = files.history.model if files.history else shipped("static")
    found = [_prediction(path, files, model) for path in scan.files]
    found.sort(key=lambda it: (-it.probability, it.file))
    return DefectReport(tuple(found), model, files.history or files.reasons["churn"])


def kept_predictions(room: Analysis, project: Project, scan: Scan) -> DefectReport:
    """Return the same, found anew where a file, the last commit, a report of coverage or the day changed."""
    day, reports = int(room.clock().timestamp()) // DAY, reports_seen(Tree(room.repository), project.path)
    question = f"predictions {project} {room.history.head()} {day} {reports}"
    _, around = _surroundings(room, project, scan)
    return room.cached(question, around, lambda: predictions(room, project, scan))


def _surroundings(room: Analysis, project: Project, scan: Scan) -> tuple[Project, Scan]:
    """Return the repository where a part of it is asked about; a part that it leaves out stands alone."""
    whole = replace(project, path="", max_depth=None)
    around = scan if project == whole else room.scan(whole)
    return (whole, around) if scan.files.keys() <= around.files.keys() else (project, scan)


def measured_files(room: Analysis, project: Project, scan: Scan) -> MeasuredFiles:
    """Return what is measured of the files of a project."""
    around = _surroundings(room, project, scan)
    static = static_measures(room, *around)
    history = _history(room, *around, static)
    coverage = coverage_of(Tree(room.repository), room.repository.root, project.path, scan.files.keys())
    reasons = {"test_coverage": coverage.reason or ""}
    if isinstance(history, str):
        return MeasuredFiles(static, None, coverage, reasons | {"churn": history})
    return MeasuredFiles(static, history, coverage, reasons)


def _history(
    room: Analysis, project: Project, scan: Scan, static: Mapping[str, Measures]
) -> FileHistory | str:
    """Return what commits did to files, or why nothing can be said."""
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
    question = f"defects of {project} after {room.history.head()} on day {now // DAY}"
    return room.cached(question, scan, lambda: FileHistory(touched, now, static, lines))


def _prediction(path: str, files: MeasuredFiles, model: Model) -> Prediction:
    measures = files.measures(path)
    missing = files.missing(measures)
    parts = dict.fromkeys(("size", *FEATURES), 0.0)
    contributions = model.contributions(measures)
    for measure in MEASURES:
        parts[measure.part] += contributions[measure.name]
    probability = round(model.chance(contributions), DIGITS)
    confidence = (1 - sum(COSTS[name] for name in missing)) * (1 if model.learned_here else NOT_LEARNED)
    is_small = (measures["code_lines"] or 0) < SMALL_FILE
    first = {measure.part: measure.name for measure in reversed(MEASURES)}
    return Prediction(
        path,
        probability,
        round(confidence * (OF_SMALL_FILES if is_small else 1), 2),
        "High" if probability >= HIGH else "Medium" if probability >= MEDIUM else "Low",
        {name: None if name in missing else measures.get(first[name]) for name in FEATURES},
        missing,
        measures,
        {name: round(part, 3) for name, part in parts.items()},
    )
