"""The risk profile: which lines count as which risk, and the scores at and between the published ratings."""

from __future__ import annotations

import pytest

from holdfast.analysis.complexity.complexity_report import complexity_report
from holdfast.analysis.complexity.risk_profile import profile_score
from holdfast.syntax.record import read_record


def branches(name: str, number: int) -> str:
    return f"def {name}(a):\n" + "    if a:\n        a += 1\n" * (number - 1) + "    return a\n\n\n"


def test_lines_are_at_the_risk_of_their_function() -> None:
    text = "".join(branches(f"f{number}", number) for number in (10, 11, 20, 21, 50, 51))
    record = read_record("a.py", text.encode())
    assert record is not None
    numbers = complexity_report({"a.py": record}).file_numbers()["a.py"]
    lines = {number: 2 * number for number in (10, 11, 20, 21, 50, 51)}
    assert numbers["risk_lines"] == (lines[11] + lines[20], lines[21] + lines[50], lines[51])
    assert numbers["function_lines"] == sum(lines.values())


@pytest.mark.parametrize(
    ("percentages", "score"),
    [
        ((0, 0, 0), 100),
        ((25, 0, 0), 80),
        ((30, 5, 0), 60),
        ((40, 10, 0), 40),
        ((50, 15, 5), 20),
        ((0, 0, 100), 0),
        ((12.5, 0, 0), 90),  # halfway between ratings
        ((0, 0, 2.5), 60),
        ((0, 12.5, 1), 30),  # the worst risk decides
    ],
)
def test_the_score_is_that_of_the_rating_and_interpolated_between_ratings(percentages, score) -> None:
    assert profile_score(percentages) == pytest.approx(score)
