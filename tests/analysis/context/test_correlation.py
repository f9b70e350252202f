from __future__ import annotations

import pytest

from holdfast.analysis.context.correlation import correlation, rank_correlation
from tests.analysis.context.measured import file, finding, measured


def test_rank_correlation_is_spearmans_with_ties() -> None:
    assert rank_correlation([(1, 10), (2, 20), (3, 90)]) == 1.0
    assert rank_correlation([(1, 3), (2, 2), (3, 1)]) == -1.0
    assert rank_correlation([(1, 1), (2, 1), (2, 2), (4, 3)]) == pytest.approx(0.833, abs=0.001)
    assert rank_correlation([(1, 1), (1, 2)]) is None


@pytest.mark.requirement("analysis-115")
def test_files_that_several_analyses_speak_of_come_first_with_their_numbers() -> None:
    issues = (finding("a.py"), finding("a.py", "technical-debt"), finding("b.py", "dead-code"))
    files = [file("a.py", cyclomatic=30, commits=4), file("b.py", cyclomatic=1, commits=0)]
    found = correlation(measured(*files, findings=issues), 10)
    [meeting] = found.meetings
    assert meeting.file == "a.py"
    assert meeting.analyses == ["churn", "complexity", "technical-debt"]
    assert (meeting.cyclomatic, meeting.commits, meeting.debts, meeting.dead_code) == (30, 4, 1, 0)
    assert found.complexity_and_churn is None
    assert found.reason == "fewer than 10 files changed in the last 30 days of the history"
    many = [file(f"{number}.py", cyclomatic=number, commits=number) for number in range(1, 12)]
    assert correlation(measured(*many), 10).complexity_and_churn == 1.0
