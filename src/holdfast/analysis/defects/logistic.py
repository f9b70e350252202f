"""Logistic regression for defects: weights that ship with the package, adapted to the repository's own
history.

The weights trained on other repositories are the mean of a Gaussian prior. The files of this repository, with
the label whether they were fixed in the last year, update it to a maximum a posteriori (MAP) estimate: the
more files, the larger the change. Only a part of the change is kept, as the next year will differ from the
last. Weights are non-negative, so that every measure adds to the risk or has no effect.
`scripts/train_defects.py` trains the shipped weights with this code.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, Any

from pydantic import Field

from holdfast.analysis.defects.measures import MEASURES, Measures, model_input
from holdfast.kernel.models import Output

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_INTERCEPT_VARIANCE = 4.0
"""The variance of the intercept's prior: a judgement, wide as the share of fixed files differs a lot."""
_KEPT_CHANGE = 0.7
"""The part of what a repository's last year says that the next year has too. Chosen by the log loss of the
following year on six of the repositories that the weights were trained on (docs/accuracy.md)."""
_MAX_NEWTON_STEPS = 40
"""Steps after which the optimisation ends: a judgement, as Newton's method usually takes fewer than ten."""
_MAX_SWEEPS = 60
"""Rounds of coordinate descent for one step: a judgement, as a few are usually enough."""
_WEIGHT_DIGITS = 4
_MAX_LOG_ODDS = 30
"""Larger log-odds are cut off: their probability rounds to 0 or 1, and `exp` overflows above 709."""
_TOLERANCE = 1e-6
"""A smaller step ends the optimisation: a judgement, far below the four decimal places of the weights."""


class Model(Output):
    """The logistic regression that was used."""

    name: str = Field(description="`history`, or `static` without a history.")
    intercept: float
    weights: dict[str, float] = Field(description="Log-odds per unit; counts enter as ln(1 + count).")
    assumed: list[str] = Field(description="Weights that were assumed, not trained.")
    variance: float = Field(description="Variance of the prior on each weight.")
    trained_on: int = Field(description="Training examples from other repositories: files in one year each.")
    learned_here: bool = Field(default=False, description="Whether weights fit this repository's history.")

    def contributions(self, measured: Measures) -> dict[str, float]:
        """Return the contribution of each measure to the log-odds; 0 if it was not measured."""
        inputs = {measure.name: model_input(measure, measured.get(measure.name)) for measure in MEASURES}
        return {name: self.weights.get(name, 0.0) * number for name, number in inputs.items()}

    def probability(self, measured: Measures) -> float:
        return self.probability_from(self.contributions(measured))

    def probability_from(self, contributions: Mapping[str, float]) -> float:
        """Return the probability that follows from the contributions of all measures."""
        return 1 / (1 + exp(-self.intercept - sum(contributions.values())))

    def adapt_to(self, rows: Sequence[Measures], fixed: Sequence[bool]) -> Model:
        """Return this model adapted to a repository's own history."""
        import numpy

        # The intercept comes first, as in the design matrix; only the other weights have a floor.
        weights = [self.weights.get(measure.name, 0.0) for measure in MEASURES]
        prior = numpy.asarray([self.intercept, *weights])
        variance, floor = numpy.full(len(prior), self.variance), numpy.zeros(len(prior))
        variance[0], floor[0] = _INTERCEPT_VARIANCE, -numpy.inf
        labels = numpy.asarray(fixed, dtype=float)
        last_year = map_estimate(design_matrix(rows), labels, prior, variance, floor)
        coefficients = prior + _KEPT_CHANGE * (last_year - prior)
        intercept, *weights = (round(float(number), _WEIGHT_DIGITS) for number in coefficients)
        by_name = {measure.name: weight for measure, weight in zip(MEASURES, weights, strict=True) if weight}
        return self.model_copy(update={"intercept": intercept, "weights": by_name, "learned_here": True})


def design_matrix(rows: Sequence[Measures]) -> Array:
    """Return the model inputs of each row, after a column of ones for the intercept."""
    import numpy

    inputs = [[model_input(measure, row.get(measure.name)) for measure in MEASURES] for row in rows]
    return numpy.asarray([[1.0, *row] for row in inputs])


def map_estimate(
    rows: Array, labels: Array, prior: Array, variance: Array, floor: Array, counts: Array | float = 1.0
) -> Array:
    """Return the MAP coefficients under a Gaussian prior, none below its floor, by damped Newton steps.

    `rows` is a design matrix, `counts` the weight of each row.
    """
    import numpy

    def log_posterior(coefficients: Array) -> float:
        log_odds = rows @ coefficients
        likelihood = (counts * (labels * log_odds - numpy.logaddexp(0, log_odds))).sum()
        return float(likelihood - ((coefficients - prior) ** 2 / variance).sum() / 2)

    coefficients = prior.astype(float)
    for _ in range(_MAX_NEWTON_STEPS):
        probability = 1 / (1 + numpy.exp(-numpy.clip(rows @ coefficients, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)))
        gradient = rows.T @ (counts * (labels - probability)) - (coefficients - prior) / variance
        curvature = (rows.T * (counts * probability * (1 - probability))) @ rows + numpy.diag(1 / variance)
        step = _bounded_step(curvature, gradient, floor - coefficients)
        posterior = log_posterior(coefficients)
        while abs(step).max() > _TOLERANCE and log_posterior(coefficients + step) < posterior:
            step = step / 2
        coefficients = coefficients + step
        if abs(step).max() <= _TOLERANCE:
            break
    return coefficients


def _bounded_step(curvature: Array, gradient: Array, lower_bound: Array) -> Array:
    """Return the Newton step under a lower bound for each coordinate, by coordinate descent."""
    import numpy

    step = numpy.zeros(len(gradient))
    for _ in range(_MAX_SWEEPS):
        previous = step.copy()
        for i in range(len(step)):
            unbounded = (gradient[i] - curvature[i] @ step + curvature[i, i] * step[i]) / curvature[i, i]
            step[i] = max(unbounded, lower_bound[i])
        if abs(step - previous).max() < _TOLERANCE:
            break
    return step


def area_under_curve(scores: Sequence[float], fixed: Sequence[bool]) -> float | None:
    """Return the area under the ROC curve, or None if all labels are equal.

    It is the probability that a fixed file scores above a file that was not fixed (Mann-Whitney U).
    """
    fixed_scores = [score for score, is_fixed in zip(scores, fixed, strict=True) if is_fixed]
    other_scores = sorted(score for score, is_fixed in zip(scores, fixed, strict=True) if not is_fixed)
    if not fixed_scores or not other_scores:
        return None
    # Each term is twice the number of lower scores, where an equal score counts half.
    wins = sum(bisect_left(other_scores, score) + bisect_right(other_scores, score) for score in fixed_scores)
    return wins / 2 / len(other_scores) / len(fixed_scores)


@cache
def shipped_model(name: str) -> Model:
    """Return a model that ships with the package: `history`, or `static` for use without a history."""
    models = json.loads(files("holdfast.analysis.defects").joinpath("files.json").read_text("utf-8"))
    return Model(name=name, **models[name])
