"""The report on defects: the probability that each file needs a fix within a year."""

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
    from holdfast.analysis.defects.prediction import DefectHistory

Risk = Literal["High", "Medium", "Low"]
_LEVELS: dict[Risk, FindingLevel] = {"High": "error", "Medium": "warning", "Low": "note"}
SMALL_FILE_LINES = 10
"""Files with fewer lines of code have too little to measure: a judgement, about one small function."""
PROBABILITY_DIGITS = 4
"""Decimal places of probabilities: a judgement. The model is less precise, but they rank more files."""


class Prediction(NamedTuple):
    """The prediction for one file."""

    file: str
    probability: float
    """The probability, from 0 to 1, that it needs a fix within a year."""
    confidence: float
    """From 0 to 1, lower the less was measured."""
    risk: Risk
    features: Mapping[str, float | None]
    """The main measure of each of the six features."""
    missing: Mapping[str, str]
    """The features that were not measured, with the reasons."""
    measures: Measures
    contributions: Mapping[str, float]
    """What size and each feature add to the log-odds."""

    @property
    def per_100_lines(self) -> float:
        """The probability per hundred lines of code, which shows where a review is most worthwhile."""
        lines = max(self.measures["code_lines"] or 0, SMALL_FILE_LINES)
        return round(100 * self.probability / lines, PROBABILITY_DIGITS)


class Baseline(Output):
    """How well the model ranks the files that were fixed in the last year, compared with ranking by size."""

    files: int = Field(default=0, description="Files that existed a year ago.")
    fixed: int = Field(default=0, alias="mended", description="Those of them that were fixed since.")
    model_auc: float | None = Field(
        default=None, description="Area under the ROC curve of the model, by two-fold cross-validation."
    )
    size_auc: float | None = Field(
        default=None, description="Area under the ROC curve if the same files are ranked by lines of code."
    )
    reason: str | None = Field(default=None, description="Why the areas are null.")


class RiskyCommit(Output):
    """A recent commit that may have introduced a defect."""

    id: str
    committed_at: str
    subject: UntrustedText
    risk: float = Field(description="From 0 to 1; it ranks commits and is not a probability.")


@dataclass(frozen=True)
class DefectReport(AnalysisReport):
    """The files of a project, ranked by the probability that they need a fix."""

    predictions: tuple[Prediction, ...]
    """The most probable first."""
    model: Model
    history: DefectHistory | str
    """The history behind the predictions, or why there is none."""

    @property
    def baseline(self) -> Baseline:
        return Baseline(reason=self.history) if isinstance(self.history, str) else self.history.baseline

    @property
    def commits(self) -> tuple[RiskyCommit, ...]:
        """The riskiest recent commits, the riskiest first."""
        return () if isinstance(self.history, str) else self.history.commits

    @cached_property
    def findings(self) -> tuple[CodeFinding, ...]:
        return tuple(map(defect_finding, self.predictions))

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        return {
            prediction.file: {"defect_probability": prediction.probability} for prediction in self.predictions
        }


def defect_finding(prediction: Prediction) -> CodeFinding:
    """Return a prediction as a finding."""
    return CodeFinding(
        DEFECT_RULE,
        _LEVELS[prediction.risk],
        f"A fix is {prediction.probability:.0%} probable within a year.",
        prediction.file,
        subject=prediction.file,
        properties={"defect_probability": prediction.probability, "confidence": prediction.confidence},
        severity="medium",
    )
