"""How probable it is that each file of a project is mended within a year, how sure that is, and why.

Contract
- A feature that was not measured is None, has a reason, lowers the confidence and adds nothing to the risk.
- The same files, history and day give the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pydantic import Field

from holdfast.analysis.churn.churn import Touched
from holdfast.analysis.context.coverage import Coverage, coverage_of
from holdfast.analysis.defects.activity import DAY, RECENT, YEAR, Activity, activity
from holdfast.analysis.defects.commit_risk import commit_risks
from holdfast.analysis.defects.logistic import LEAST_MENDED, Model, area_under_curve, shipped
from holdfast.analysis.defects.measures import FEATURES, MEASURES, Measures, static_measures
from holdfast.analysis.room import Analysis
from holdfast.analysis.survey import Project, Survey
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.operation import Output
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.log_stream import shallow_commits

Risk = Literal["High", "Medium", "Low"]
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
SMALL_FILE, OF_SMALL_FILES = 10, 0.8
"""Of files with fewer lines of code little can be measured."""
_NO_GIT = "this is no git repository"
_NO_COMMIT = "there is no commit yet"
_NOT_TRACKED = "git does not track this file yet"
_SHALLOW = "this clone is shallow and lacks the last year's commits"
_NO_CLONES = "clones were not looked for"
_NO_NAMES = "the file defines no name"
_OF_ONE_FILE = {"churn": _NOT_TRACKED, "name_quality": _NO_NAMES}
_DIGITS, _COMMITS = 4, 5


@dataclass(frozen=True)
class Prediction:
    """What is to be expected of one file."""

    file: str
    probability: float
    confidence: float
    risk: Risk
    features: Mapping[str, float | None]
    """The first measure of each of the six features."""
    missing: Mapping[str, str]
    """Features that were not measured, with the reasons."""
    measures: Measures = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)
    """What each feature, the size and the purpose of the file add to the log-odds."""
    lines: int = 0

    @property
    def per_line(self) -> float:
        """Return the probability for each hundred lines of code: where reading pays most."""
        return round(100 * self.probability / max(self.lines, SMALL_FILE), _DIGITS)


class Baseline(Output):
    """How well files are ordered by the model and by size alone, on this repository's last year."""

    files: int = 0
    mended: int = 0
    model_auc: float | None = Field(
        default=None, description="Of each half of the files, by a model that learned from the other one."
    )
    size_auc: float | None = Field(default=None, description="Of the same files, by their lines of code.")
    reason: str | None = Field(default=None, description="Why that was not measured.")


class RiskyCommit(Output):
    """A commit of the last 90 days."""

    id: str
    committed_at: str
    subject: UntrustedText
    risk: float = Field(description="From 0 to 1; it orders commits, and is no probability.")


@dataclass(frozen=True)
class DefectReport:
    """What is to be expected of a project."""

    predictions: tuple[Prediction, ...]
    """The most probable first."""
    model: Model
    learned: bool
    """Whether the repository's own history moved the model."""
    baseline: Baseline
    commits: tuple[RiskyCommit, ...]
    """The riskiest of the last 90 days."""


@dataclass(frozen=True)
class PastFiles:
    """Files as they were a year ago, and whether they were mended since."""

    rows: Sequence[Measures]
    mended: Sequence[bool]

    @property
    def teaches(self) -> bool:
        """Whether there are enough of both kinds."""
        return LEAST_MENDED <= sum(self.mended) <= len(self.mended) - LEAST_MENDED

    def half(self, which: int) -> PastFiles:
        """Return every second of them."""
        return PastFiles(self.rows[which::2], self.mended[which::2])


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
    def present(self) -> Mapping[str, Activity]:
        """Return what happened to files in the last year."""
        return activity(self.touched, self.static, self.now, self.risks)

    @cached_property
    def past(self) -> PastFiles:
        """Return the files that were there a year ago as they were then.

        Their size and activity are those of then. What else the texts tell is taken from now, complexity in
        proportion to the lines.
        """
        rows, mended = [], []
        for path, it in activity(self.touched, self.static, self.now - YEAR * DAY, self.risks).items():
            now = self.lines[path]
            then = now - it.growth_since
            if then <= 0 or path not in self.touched.present:
                continue
            share = then / now if now else 1.0
            static = self.static[path]
            scaled = {name: (static[name] or 0) * share for name in ("code_lines", "cyclomatic", "cognitive")}
            rows.append({**static, **scaled, **it.measures})
            mended.append(it.mended)
        return PastFiles(rows, mended)

    @cached_property
    def model(self) -> Model:
        """Return the model that this history makes of the one that ships."""
        return shipped("history").learned(self.past.rows, self.past.mended)

    @cached_property
    def baseline(self) -> Baseline:
        """Return how well the model orders half of the files when it has learned from the others."""
        past = self.past
        if not past.teaches:
            reason = f"fewer than {LEAST_MENDED} files were mended in the last year, or were not"
            return Baseline(files=len(past.rows), mended=sum(past.mended), reason=reason)
        model, size = [], []
        for which in (0, 1):
            learned = shipped("history").learned(past.half(1 - which).rows, past.half(1 - which).mended)
            rows, mended = past.half(which).rows, past.half(which).mended
            scores = [learned.probability(learned.contributions(row)) for row in rows]
            model.append(area_under_curve(scores, mended) or 0.0)
            size.append(area_under_curve([row["code_lines"] or 0.0 for row in rows], mended) or 0.0)
        return Baseline(
            files=len(past.rows),
            mended=sum(past.mended),
            model_auc=round(sum(model) / 2, 3),
            size_auc=round(sum(size) / 2, 3),
        )

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


@dataclass(frozen=True)
class MeasuredFiles:
    """Everything that was measured of the files of a project, and why the rest was not."""

    static: Mapping[str, Measures]
    history: FileHistory | None
    coverage: Coverage
    reasons: Mapping[str, str]
    """Why a feature is missing of all files."""

    def measures(self, path: str) -> Measures:
        """Return what was measured of one file."""
        found = dict(self.static[path])
        if self.history is not None and path in self.history.touched.present:
            found |= self.history.present[path].measures
        told = self.coverage.files.get(path)
        if told is not None and told.total:
            found["uncovered_share"] = 1 - told.covered / told.total
        return found

    def missing(self, measures: Measures) -> dict[str, str]:
        """Return the features that a file lacks, with the reasons."""
        found = dict(self.reasons)
        for measure in MEASURES:
            if measure.part in FEATURES and measures.get(measure.name) is None:
                found.setdefault(measure.part, _OF_ONE_FILE.get(measure.part, ""))
        if "uncovered_share" not in measures:
            found["test_coverage"] = self.coverage.reason or "no report speaks of this file"
        return found


def predictions(room: Analysis, project: Project, survey: Survey) -> DefectReport:
    """Return what is to be expected of the files of a project."""
    files = measured_files(room, project, survey)
    history = files.history
    learned = history is not None and history.past.teaches
    model = shipped("static") if history is None else history.model if learned else shipped("history")
    found = [_prediction(path, files, model, learned) for path in files.static]
    return DefectReport(
        tuple(sorted(found, key=lambda it: (-it.probability, it.file))),
        model,
        learned,
        Baseline(reason=files.reasons["churn"]) if history is None else history.baseline,
        () if history is None else history.commits(),
    )


def measured_files(room: Analysis, project: Project, survey: Survey) -> MeasuredFiles:
    """Return what is measured of the files of a project."""
    static = static_measures(room, survey)
    reasons = {"duplication": _NO_CLONES}
    history = _history(room, survey, static)
    if isinstance(history, str):
        reasons["churn"] = history
    coverage = coverage_of(Tree(room.repository), room.repository.root, project.path, survey.files.keys())
    return MeasuredFiles(static, None if isinstance(history, str) else history, coverage, reasons)


def _history(room: Analysis, survey: Survey, static: Mapping[str, Measures]) -> FileHistory | str:
    """Return what commits did to files, or why nothing can be said."""
    now = int(room.clock().timestamp())
    if room.repository.git_dir is None:
        return _NO_GIT
    touched = room.history.touched(now, 2 * YEAR)
    if touched is None:
        return _NO_COMMIT
    oldest = min((commit.time for commit in touched.commits), default=0)
    if shallow_commits(room.repository) and now - oldest < YEAR * DAY:
        return _SHALLOW
    head = touched.commits[0].id if touched.commits else ""
    lines = {path: record.lines for path, record in survey.files.items()}
    question = f"defects after {head} on day {now // DAY}"
    return room.once(question, survey, lambda: FileHistory(touched, now, static, lines))


def _prediction(path: str, files: MeasuredFiles, model: Model, learned: bool) -> Prediction:
    measures = files.measures(path)
    missing = files.missing(measures)
    parts = dict.fromkeys(("size", "purpose", *FEATURES), 0.0)
    contributions = model.contributions(measures)
    for measure in MEASURES:
        parts[measure.part] += contributions[measure.name]
    probability = round(model.probability(contributions), _DIGITS)
    lines = int(measures["code_lines"] or 0)
    confidence = (1 - sum(COSTS[name] for name in missing)) * (1 if learned else NOT_LEARNED)
    first = {measure.part: measure.name for measure in reversed(MEASURES)}
    return Prediction(
        path,
        probability,
        round(confidence * (OF_SMALL_FILES if lines < SMALL_FILE else 1), 2),
        "High" if probability >= HIGH else "Medium" if probability >= MEDIUM else "Low",
        {name: None if name in missing else measures.get(first[name]) for name in FEATURES},
        missing,
        measures,
        {name: round(part, 3) for name, part in parts.items()},
        lines,
    )
