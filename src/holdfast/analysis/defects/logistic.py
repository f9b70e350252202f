"""Logistic regression for defects: weights that ship as data, adapted to the repository's own history.

The weights trained on other repositories are the mean of a Gaussian prior. The files of this repository that
were or were not fixed in the last year update it to a maximum a posteriori (MAP) estimate: the more files,
the larger the change. Weights are non-negative, so that every measure adds to the risk or has no effect.
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
"""Of the prior: wide, since the share of files that need a fix differs between repositories. A judgement."""
_NEWTON_STEPS, _SWEEPS, _TOLERANCE, _DIGITS = 40, 60, 1e-6, 4
"""Chosen bounds on the optimiser. The tolerance is far below the four decimal places of the weights."""


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
        return {
            it.name: self.weights.get(it.name, 0.0) * model_input(it, measured.get(it.name))
            for it in MEASURES
        }

    def probability(self, measured: Measures) -> float:
        """Return the probability that a file needs a fix."""
        return self.probability_of(self.contributions(measured))

    def probability_of(self, contributions: Mapping[str, float]) -> float:
        """Return the probability for given contributions."""
        return 1 / (1 + exp(-self.intercept - sum(contributions.values())))

    def fitted_to(self, rows: Sequence[Measures], fixed: Sequence[bool]) -> Model:
        """Return this model adapted to a repository's own history."""
        import numpy

        prior = numpy.asarray([self.intercept, *(self.weights.get(it.name, 0.0) for it in MEASURES)])
        variance, floor = numpy.full(len(prior), self.variance), numpy.zeros(len(prior))
        variance[0], floor[0] = _INTERCEPT_VARIANCE, -numpy.inf
        found = map_estimate(design_matrix(rows), numpy.asarray(fixed, dtype=float), prior, variance, floor)
        intercept, *weights = (round(float(number), _DIGITS) for number in found)
        named = {it.name: weight for it, weight in zip(MEASURES, weights, strict=True) if weight}
        return self.model_copy(update={"intercept": intercept, "weights": named, "learned_here": True})


def design_matrix(rows: Sequence[Measures]) -> Array:
    """Return the model inputs of each row, after a column of ones for the intercept."""
    import numpy

    return numpy.asarray([[1.0, *(model_input(it, row.get(it.name)) for it in MEASURES)] for row in rows])


def map_estimate(
    rows: Array, labels: Array, prior: Array, variance: Array, floor: Array, counts: Array | float = 1.0
) -> Array:
    """Return the MAP coefficients under a Gaussian prior, none below its floor, by damped Newton steps.

    `counts` weights the rows.
    """
    import numpy

    def log_posterior(at: Array) -> float:
        score = rows @ at
        likelihood = (counts * (labels * score - numpy.logaddexp(0, score))).sum()
        return float(likelihood - ((at - prior) ** 2 / variance).sum() / 2)

    found = prior.astype(float)
    for _ in range(_NEWTON_STEPS):
        probability = 1 / (1 + numpy.exp(-numpy.clip(rows @ found, -30, 30)))
        gradient = rows.T @ (counts * (labels - probability)) - (found - prior) / variance
        curvature = (rows.T * (counts * probability * (1 - probability))) @ rows + numpy.diag(1 / variance)
        step = _bounded_step(curvature, gradient, floor - found)
        while abs(step).max() > _TOLERANCE and log_posterior(found + step) < log_posterior(found):
            step = step / 2
        found = found + step
        if abs(step).max() <= _TOLERANCE:
            break
    return found


def _bounded_step(curvature: Array, gradient: Array, least: Array) -> Array:
    """Return the Newton step constrained to be at least `least`, by coordinate descent."""
    import numpy

    step = numpy.zeros(len(gradient))
    for _ in range(_SWEEPS):
        before = step.copy()
        for at in range(len(step)):
            free = (gradient[at] - curvature[at] @ step + curvature[at, at] * step[at]) / curvature[at, at]
            step[at] = max(free, least[at])
        if abs(step - before).max() < _TOLERANCE:
            break
    return step


def area_under_curve(scores: Sequence[float], fixed: Sequence[bool]) -> float | None:
    """Return the area under the ROC curve, or None if all labels are equal.

    It is the probability that a fixed file scores above one that was not (Mann-Whitney U).
    """
    others = sorted(score for score, is_fixed in zip(scores, fixed, strict=True) if not is_fixed)
    found = [score for score, is_fixed in zip(scores, fixed, strict=True) if is_fixed]
    wins = sum(bisect_left(others, score) + bisect_right(others, score) for score in found)
    return wins / 2 / len(others) / len(found) if others and found else None


@cache
def shipped(name: str) -> Model:
    """Return a model that ships with the package: `history`, or `static` for use without a history."""
    packed = files("holdfast.analysis.defects").joinpath("files.json").read_text("utf-8")
    return Model(name=name, **json.loads(packed)[name])
