"""The risk profile of code: which lines are in functions of moderate, high and very high complexity.

The categories and the shares that a rating permits are those of Heitlager, Kuipers and Visser, "A Practical
Model for Measuring Maintainability", QUATIC 2007; between the ratings, the score is interpolated.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from holdfast.analysis.complexity.function_complexity import FunctionComplexity

RISK_LIMITS = (10, 20, 50)
"""A higher cyclomatic complexity is a moderate, high or very high risk."""
RATINGS: Sequence[Sequence[tuple[float, float]]] = (
    ((0, 100), (25, 80), (30, 60), (40, 40), (50, 20), (100, 0)),
    ((0, 100), (5, 60), (10, 40), (15, 20), (100, 0)),
    ((0, 100), (5, 20), (100, 0)),
)
"""For each risk the percentage of lines and the score: 80 is the least of the best rating, `++`, then 60, 40
and 20 of the next ones."""
NO_RISK = (0,) * len(RISK_LIMITS)


def risk_lines(functions: Iterable[FunctionComplexity]) -> tuple[int, ...]:
    """Return how many lines of code are in functions of each risk."""
    lines = [0] * (len(RISK_LIMITS) + 1)
    for each in functions:
        lines[bisect_left(RISK_LIMITS, each.cyclomatic)] += each.function.lines_of_code
    return tuple(lines[1:])


def profile_score(percentages: Sequence[float]) -> float:
    """Return the score of code with these percentages of lines at each risk, from 0 to 100: the lowest."""
    return min(map(_interpolate, RATINGS, percentages))


def _interpolate(points: Sequence[tuple[float, float]], value: float) -> float:
    """Return the height at a value of the line through the points."""
    place = min(bisect_right(points, (value, float("inf"))), len(points) - 1)
    (left, low), (right, high) = list(pairwise(points))[max(place - 1, 0)]
    return low + (high - low) * (value - left) / (right - left)
