"""The report on defects: how probable a fix of each file is within a year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from holdfast.analysis.defects.logistic import Model
from holdfast.analysis.defects.measures import Measures
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.code_finding import CodeFinding, FindingLevel
from holdfast.analysis.rules import DEFECT_RULE
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText

if TYPE_CHECKING:
    from holdfast.analysis.defects.prediction import FileHistory

Risk = Literal["High", "Medium", "Low"]
_LEVELS: dict[Risk, FindingLevel] = {"High": "error", "Medium": "warning", "Low": "note"}
SMALL_FILE = 10
"""Lines of code below which little can be measured of a file."""
DIGITS = 4
"""Decimal places of probabilities."""


class Prediction(NamedTuple):
    """What is to be expected of one file."""

    file: str
    probability: float
    confidence: float
    risk: Risk
    features: Mapping[str, float | None]
    """The first measure of each of the six features."""
    missing: Mapping[str, str]
    """Features that were not measured, with the reasons."""
    measures: Measures
    contributions: Mapping[str, float]
    """What each feature and the size of the file add to the log-odds."""

    @property
    def per_100_lines(self) -> float:
        """Return the probability for each hundred lines of code: where reading pays most."""
        return round(100 * self.probability / max(self.measures["code_lines"] or 0, SMALL_FILE), DIGITS)


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
class DefectReport(AnalysisReport):
    """The files of a project by the probability that they need a fix, and the history behind it."""

    predictions: tuple[Prediction, ...]
    """The most probable first."""
    model: Model
    history: FileHistory | str
    """What it follows from, or why there is none."""

    @property
    def baseline(self) -> Baseline:
        """Return how well the model orders files, for which it learns anew."""
        return Baseline(reason=self.history) if isinstance(self.history, str) else self.history.baseline

    @property
    def commits(self) -> tuple[RiskyCommit, ...]:
        """Return the riskiest commits of the last 90 days."""
        return () if isinstance(self.history, str) else self.history.commits

    @cached_property
    def findings(self) -> tuple[CodeFinding, ...]:
        """All predictions."""
        return tuple(map(defect_finding, self.predictions))

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the probability of each file."""
        return {one.file: {"defect_probability": one.probability} for one in self.predictions}


def defect_finding(one: Prediction) -> CodeFinding:
    """Return a prediction as a finding."""
    return CodeFinding(
        DEFECT_RULE,
        _LEVELS[one.risk],
        f"A fix is {one.probability:.0%} probable within a year.",
        one.file,
        subject=one.file,
        properties={"defect_probability": one.probability, "confidence": one.confidence},
        severity="medium",
    )
