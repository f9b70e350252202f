"""A logistic model of defects: weights that ship as data, moved by what a repository's own history shows.

The weights of other repositories are the mean of a Gaussian prior; the files that were mended in the last
year, and those that were not, move it as far as they are many. No weight is below 0, so that every measure
adds to the risk or does nothing. `scripts/train_defects.py` makes the data with what is here.
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

from holdfast.analysis.defects.measures import MEASURES, Measures, value
from holdfast.kernel.models import Output

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_INTERCEPT_VARIANCE = 4.0
_ROUNDS, _SWEEPS, _SMALL, _DIGITS = 40, 60, 1e-6, 4


class Model(Output):
    """The model that was used."""

    name: str = Field(description="`history`, or `static` where there is none.")
    intercept: float
    weights: dict[str, float] = Field(description="Log-odds for each measure, counts by ln(1 + count).")
    assumed: list[str] = Field(description="Weights that no data stands behind.")
    variance: float = Field(description="How far the weights of repositories are taken to differ.")
    trained_on: int = Field(description="How many files, each in one year, other repositories gave.")
    learned_here: bool = Field(
        default=False, description="Whether the history of this repository moved the weights."
    )

    def contributions(self, measured: Measures) -> dict[str, float]:
        """Return what each measure adds to the log-odds; nothing where it is not measured."""
        return {
            measure.name: self.weights.get(measure.name, 0.0) * value(measure, measured.get(measure.name))
            for measure in MEASURES
        }

    def probability(self, measured: Measures) -> float:
        """Return the probability that a file is mended."""
        return self.chance(self.contributions(measured))

    def chance(self, contributions: Mapping[str, float]) -> float:
        """Return the probability that contributions make."""
        return 1 / (1 + exp(-self.intercept - sum(contributions.values())))

    def learned(self, rows: Sequence[Measures], mended: Sequence[bool]) -> Model:
        """Return the model that a repository's own history makes of this one."""
        import numpy

        prior = numpy.asarray([self.intercept, *(self.weights.get(it.name, 0.0) for it in MEASURES)])
        variance, floor = numpy.full(len(prior), self.variance), numpy.zeros(len(prior))
        variance[0], floor[0] = _INTERCEPT_VARIANCE, -numpy.inf
        found = fitted(table(rows), numpy.asarray(mended, dtype=float), prior, variance, floor)
        intercept, *weights = (round(float(number), _DIGITS) for number in found)
        named = {it.name: weight for it, weight in zip(MEASURES, weights, strict=True) if weight}
        return self.model_copy(update={"intercept": intercept, "weights": named, "learned_here": True})


def table(rows: Sequence[Measures]) -> Array:
    """Return what the model calculates with, a column of ones first."""
    import numpy

    return numpy.asarray([[1.0, *(value(it, row.get(it.name)) for it in MEASURES)] for row in rows])


def fitted(
    rows: Array, labels: Array, prior: Array, variance: Array, floor: Array, counts: Array | float = 1.0
) -> Array:
    """Return the most probable coefficients, none below its floor, given a Gaussian prior.

    A row counts as often as `counts` says.
    """
    import numpy

    def worth(at: Array) -> float:
        score = rows @ at
        likely = (counts * (labels * score - numpy.logaddexp(0, score))).sum()
        return float(likely - ((at - prior) ** 2 / variance).sum() / 2)

    found = prior.astype(float)
    for _ in range(_ROUNDS):
        probability = 1 / (1 + numpy.exp(-numpy.clip(rows @ found, -30, 30)))
        slope = rows.T @ (counts * (labels - probability)) - (found - prior) / variance
        bend = (rows.T * (counts * probability * (1 - probability))) @ rows + numpy.diag(1 / variance)
        step = _bounded_step(bend, slope, floor - found)
        while abs(step).max() > _SMALL and worth(found + step) < worth(found):
            step = step / 2
        found = found + step
        if abs(step).max() <= _SMALL:
            break
    return found


def _bounded_step(bend: Array, slope: Array, least: Array) -> Array:
    """Return the step to the top of a parabola that stays above `least`, one coordinate after the other."""
    import numpy

    step = numpy.zeros(len(slope))
    for _ in range(_SWEEPS):
        before = step.copy()
        for at in range(len(step)):
            alone = (slope[at] - bend[at] @ step + bend[at, at] * step[at]) / bend[at, at]
            step[at] = max(alone, least[at])
        if abs(step - before).max() < _SMALL:
            break
    return step


def area_under_curve(scores: Sequence[float], mended: Sequence[bool]) -> float | None:
    """Return how probable it is that a mended file scores above another one; None where all are alike."""
    others = sorted(score for score, is_mended in zip(scores, mended, strict=True) if not is_mended)
    found = [score for score, is_mended in zip(scores, mended, strict=True) if is_mended]
    wins = sum(bisect_left(others, score) + bisect_right(others, score) for score in found)
    return wins / 2 / len(others) / len(found) if others and found else None


@cache
def shipped(name: str) -> Model:
    """Return a model that comes with the package: `history`, or `static` for where there is none."""
    packed = files("holdfast.analysis.defects").joinpath("files.json").read_text("utf-8")
    return Model(name=name, **json.loads(packed)[name])
