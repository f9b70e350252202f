"""The report about reliability tells what is missing from it, and what its tests could not have noticed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reliability import report
from tests.reliability.report import FAMILIES, Report, newest

SOUND = {"family": "A5", "harness": "tried", "control": "", "every": False, "outcome": "passed", "reason": ""}


def record(store: str = "files", **more: Any) -> dict[str, Any]:
    return {**SOUND, "store": store, "samples": 300, "failures": 0, "detail": "", "test": store, **more}


def control(store: str = "files", failures: int = 7) -> dict[str, Any]:
    return record(store, control="weak", failures=failures, samples=20, test=f"control of {store}")


WHOLE = [record(), control(), record("milestones"), control("milestones")]


def told(monkeypatch: pytest.MonkeyPatch, *records: dict[str, Any]) -> list[str]:
    monkeypatch.setattr(report, "FAMILIES", {"A5": FAMILIES["A5"]})
    return list(Report(list(records)).problems())


def test_evidence_with_its_controls_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, *WHOLE) == []
    assert next(Report(WHOLE).table()) == ["A5", "files", "tried", 300, 0, "≤ 1 %", "weak: 7 of 20"]


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ([], "A5: no test is evidence of it"),
        (WHOLE[:2], "A5: no test is evidence of it for milestones"),
        ([*WHOLE[2:], record()], "A5 files, tried: nothing shows that it could fail"),
        ([*WHOLE[2:], record(), control(failures=0)], "nothing failed, so the test proves nothing"),
        ([*WHOLE, record(failures=2, test="another")], "A5 files, tried: 2 failures in 600"),
        ([*WHOLE, record(outcome="skipped", reason="no root", test="another")], "1 skipped: no root"),
        ([*WHOLE, record(family="A0"), {**control(), "family": "A0"}], "there is no such family"),
    ],
)
def test_what_is_missing_is_told(
    monkeypatch: pytest.MonkeyPatch, records: list[dict[str, Any]], problem: str
) -> None:
    assert any(problem in one for one in told(monkeypatch, *records))


def test_a_test_that_ran_again_counts_once() -> None:
    lines = [json.dumps(record(failures=1)), json.dumps(record())]
    assert [one["failures"] for one in newest(lines)] == [0]
