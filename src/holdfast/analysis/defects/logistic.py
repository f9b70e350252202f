"""A logistic model of defects: weights that ship as data, moved by what a repository's own history shows.

The weights of other repositories are the mean of a Gaussian prior; the files that were mended in the last
year, and those that were not, move it as far as they are many. No weight is below 0, so that every measure
adds to the risk or does nothing. `scripts/train_defects.py` makes the data with what is here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, Any

from holdfast.analysis.defects.measures import MEASURES, Measures, value

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

LEAST_MENDED = 15
"""With fewer files that were mended, or that were not, a history teaches nothing."""
_INTERCEPT_VARIANCE = 4.0
_ROUNDS, _SWEEPS, _SMALL = 40, 60, 1e-6


@dataclass(frozen=True)
class Model:
    """An intercept and a weight for each measure, in log-odds."""

    name: str
    intercept: float
    weights: Mapping[str, float]
    variance: float
    """Of the prior: how far the repositories' weights differ from each other."""
    trained_on: int
    """How many files, each in one year, the weights follow from."""

    def contributions(self, measured: Measures) -> dict[str, float]:
        """Return what each measure adds to the log-odds; nothing where it is not measured."""
        return {
            measure.name: self.weights.get(measure.name, 0.0) * value(measure, measured.get(measure.name))
            for measure in MEASURES
        }

    def probability(self, contributions: Mapping[str, float]) -> float:
        """Return the probability that follows from contributions."""
        return 1 / (1 + exp(-self.intercept - sum(contributions.values())))

    def learned(self, rows: Sequence[Measures], mended: Sequence[bool]) -> Model:
        """Return the model that a repository's own history makes of this one."""
        import numpy

        prior = numpy.asarray([self.intercept, *(self.weights.get(it.name, 0.0) for it in MEASURES)])
        variance = numpy.full(len(prior), self.variance)
        variance[0] = _INTERCEPT_VARIANCE
        floor = numpy.zeros(len(prior))
        floor[0] = -numpy.inf
        found = fitted(table(rows), numpy.asarray(mended, dtype=float), prior, variance, floor)
        weights = {it.name: float(weight) for it, weight in zip(MEASURES, found[1:], strict=True)}
        return replace(self, intercept=float(found[0]), weights=weights)


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
        return float(
            (counts * (labels * score - numpy.logaddexp(0, score))).sum()
            - ((at - prior) ** 2 / variance).sum() / 2
        )

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
    from bisect import bisect_left, bisect_right

    others = sorted(score for score, is_mended in zip(scores, mended, strict=True) if not is_mended)
    found = [score for score, is_mended in zip(scores, mended, strict=True) if is_mended]
    if not others or not found:
        return None
    wins = sum(bisect_left(others, score) + bisect_right(others, score) for score in found)
    return wins / 2 / len(others) / len(found)


@cache
def shipped(name: str) -> Model:
    """Return a model that comes with the package: `history`, or `static` for where there is none."""
    packed = files("holdfast.analysis.defects").joinpath("files.json").read_text("utf-8")
    return Model(name=name, **json.loads(packed)[name])
