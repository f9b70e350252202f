"""What a test of a promise did, counted: its samples and failures, and what a weakened program showed.

A test that belongs to a family of docs/reliability.md says so, and so does the control that belongs to it:

    @pytest.mark.evidence("A1", "comments", "killed with signal 9 at random moments")
    @pytest.mark.evidence("A1", "comments", control="acknowledges before the comment is stored")

Each test counts as one sample, or as `samples=` says, and one that fails as one failure; a control that
passes has seen one. A test that knows more calls `tally(samples, failures, detail)`, before it asserts.
A parameter of the test may stand in the text in braces. `every=True` says that the samples are all there are,
so that no rate is estimated.

Where `HOLDFAST_RECORDS` names a file, each test adds a line to it; `tests/reliability/report.py` reads them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

import pytest

RECORDS = None if "PYTEST_XDIST_WORKER" in os.environ else os.environ.get("HOLDFAST_RECORDS")
"""Where to write; a worker leaves it to the process that started it, which hears of every test."""

Tally = Callable[..., None]


def declared(item: pytest.Item) -> Iterator[dict[str, Any]]:
    """Yield what a test is evidence of."""
    parameters = getattr(item, "callspec", None)
    values = {} if parameters is None else parameters.params
    for marker in item.iter_markers("evidence"):
        family, *words = marker.args
        store, harness = (text.format(**values) for text in (*words, "")[:2])
        more = {"control": "", "every": False, "samples": 1, **marker.kwargs}
        yield {"family": family, "store": store, "harness": harness, **more}


def is_control(item: pytest.Item) -> bool:
    """Return whether a test is a control and nothing else."""
    found = list(declared(item))
    return bool(found) and all(one["control"] for one in found)


def note(items: Iterable[pytest.Item]) -> None:
    """Let each test's report carry what it is evidence of."""
    for item in items:
        item.user_properties += [("evidence", found) for found in declared(item)]


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Count samples and failures of this test; `of` names the family or control where there are several."""

    def count(samples: int, failures: int | Sized, detail: str = "", *, of: str | None = None) -> None:
        failed = failures if isinstance(failures, int) else len(failures)
        counted = {"samples": samples, "failures": failed, "detail": detail, "of": of}
        request.node.user_properties.append(("tally", counted))
        print(f"{request.node.name}: {failed} of {samples} failed; {detail}")

    return count


def lines(reports: Iterable[pytest.TestReport]) -> Iterator[dict[str, Any]]:
    """Yield a record for each test and each family that it is evidence of."""
    for report in reports:
        if report.when == "teardown" or (report.when == "setup" and report.passed):
            continue
        properties = [tuple(pair) for pair in report.user_properties]
        tallies = [value for name, value in properties if name == "tally"]
        for found in (value for name, value in properties if name == "evidence"):
            name = found["control"] or found["family"]
            ours = [one for one in tallies if one["of"] in (None, name)]
            is_control = bool(found["control"])
            seen = sum(one["failures"] for one in ours) if ours else int(is_control)
            if report.failed:
                seen = 0 if is_control else max(seen, 1)
            yield found | {
                "test": report.nodeid,
                "outcome": report.outcome,
                "reason": str(report.longrepr[2]) if report.skipped else "",
                "samples": sum(one["samples"] for one in ours) if ours else found["samples"],
                "failures": seen,
                "detail": "; ".join(one["detail"] for one in ours if one["detail"]),
            }


def keep(reports: Iterable[pytest.TestReport]) -> None:
    """Write the records down where somebody asked for them."""
    if RECORDS:
        with open(RECORDS, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in lines(reports))
