from __future__ import annotations

import threading
from pathlib import Path

import pytest

from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.analysis_run import AnalysisRun, Component, Components, run_analyses
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.engine.scope import AnalysisScope, RunOptions
from holdfast.analysis.engine.stages import Stages
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import Call, Listener, current_call, running
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, Unavailable
from holdfast.storage.git.repository import Repository
from tests.analysis.context.measured import finding


class Heard(Listener):
    def __init__(self) -> None:
        self.done: list[float] = []

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.done.append(done)


@pytest.fixture
def room(repository: Path) -> Analysis:
    (repository / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    return Analysis(Repository.at(repository))


def options(parallel: int | None = None) -> RunOptions:
    return RunOptions(Project(), parallel=parallel)


def component(name: str, *findings: CodeFinding) -> Component[AnalysisReport]:
    return Component(lambda _: AnalysisReport(), lambda *_: {name: {"total": 1}}, lambda *_: findings)


def answer(run: AnalysisRun) -> tuple[object, ...]:
    return run.sections, run.measured.findings, run.measured.files, run.failures


@pytest.mark.requirement("analysis-122")
def test_analyses_run_at_the_same_time(room: Analysis) -> None:
    met = threading.Barrier(2, timeout=60)

    def waits(scope: AnalysisScope) -> AnalysisReport:
        met.wait()  # passed only if the other one is here as well
        return AnalysisReport()

    waiting: Component[AnalysisReport] = Component(waits, lambda *_: {})
    run = run_analyses(room, options(parallel=2), {"ast": waiting, "satd": waiting})
    assert not run.failures


@pytest.mark.requirement("analysis-102")
def test_one_after_the_other_gives_the_same_answer_as_all_at_once(room: Analysis) -> None:
    components = {
        "ast": component("one", finding("a.py")),
        "satd": component("two", finding("a.py", "technical-debt")),
    }
    answers = [answer(run_analyses(room, options(parallel=count), components)) for count in (1, 2, 8)]
    assert answers[0] == answers[1] == answers[2]


def test_an_analysis_that_fails_is_named_and_the_others_are_unaffected(
    room: Analysis, caplog: pytest.LogCaptureFixture
) -> None:
    def refuses(scope: AnalysisScope) -> AnalysisReport:
        raise Unavailable("There is no history.")

    def breaks(scope: AnalysisScope) -> AnalysisReport:
        raise ZeroDivisionError

    components: Components = {
        "ast": component("one"),
        "churn": Component(refuses, lambda *_: {}),
        "satd": Component(breaks, lambda *_: {}),
    }
    run = run_analyses(room, options(), components)
    assert run.sections == {"one": {"total": 1}}
    assert run.failures["churn"] == "There is no history."
    assert "ZeroDivisionError" in run.failures["satd"]
    assert run.measured.analyses == {"ast"}
    assert run.measured.reason_missing("churn") == "There is no history."
    assert "ZeroDivisionError" in caplog.text  # and where to look


def test_progress_only_ever_goes_on_whatever_the_pieces_say() -> None:
    heard = Heard()

    def unsteady() -> None:
        for done in (1, 9, 3, 10):
            current_call().progress(done, 10, "working")

    with running(Call(listener=heard)):
        stages = Stages(4)
        stages.run("first", unsteady)
        stages.run_concurrently({"second": unsteady, "third": unsteady, "fourth": unsteady}, 3)
    assert heard.done == sorted(heard.done)
    assert heard.done[-1] == 100


def test_whoever_gives_up_stops_every_piece() -> None:
    call = Call()

    def endless() -> None:
        while True:
            current_call().check()

    def giving_up() -> None:
        call.cancel()

    with running(call), pytest.raises(Cancelled):
        Stages(2).run_concurrently({"one": endless, "two": giving_up, "three": endless}, 3)


def test_the_deadline_of_the_whole_is_that_of_each_piece() -> None:
    now = iter([0.0, *([100.0] * 1000)])
    with running(Call(seconds=10, clock=lambda: next(now))), pytest.raises(DeadlineExceeded):
        Stages(1).run("one", lambda: current_call().check())
