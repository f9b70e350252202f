from __future__ import annotations

import pytest

from holdfast.kernel.call import Call, Listener, current_call, running
from holdfast.kernel.errors import Cancelled, DeadlineExceeded


class TurnableClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Settled:
    """Writes down how a call was settled."""

    def __init__(self, *calls: Call) -> None:
        self.events: list[str] = []
        for call in calls:
            self.watch(call)

    def watch(self, call: Call) -> None:
        call.after_answer(lambda: self.events.append("commit"), lambda: self.events.append("otherwise"))


def test_a_cancelled_call_stops_at_its_next_check():
    call = Call()
    call.check()
    call.cancel()
    assert call.cancelled
    with pytest.raises(Cancelled):
        call.check()


def test_a_call_stops_after_its_deadline_and_not_before():
    clock = TurnableClock()
    call = Call(seconds=2.5, clock=clock)
    clock.now += 2.5
    call.check()
    assert call.remaining() == 0.0
    clock.now += 0.001
    with pytest.raises(DeadlineExceeded, match=r"within 2\.5 seconds"):
        call.check()
    assert call.remaining() == 0.0


def test_a_call_without_deadline_may_take_for_ever():
    clock = TurnableClock()
    call = Call(clock=clock)
    clock.now += 1e9
    call.check()
    assert call.remaining() is None


def test_progress_is_reported_until_nobody_waits():
    reported = []

    class Notebook(Listener):
        def progress(self, *step):
            reported.append(step)

    call = Call(listener=Notebook())
    call.progress(1, 2, "half")
    call.cancel()
    with pytest.raises(Cancelled):
        call.progress(2, 2)
    assert reported == [(1, 2, "half")]


def test_progress_needs_no_listener():
    Call().progress(1)


@pytest.mark.parametrize(("answered", "event"), [(True, "commit"), (False, "otherwise")])
def test_an_answer_is_settled_exactly_once(answered: bool, event: str):
    call = Call()
    settled = Settled(call, call)
    call.settle(answered=answered)
    call.settle(answered=not answered)
    call.settle(answered=answered)
    assert settled.events == [event, event]


@pytest.mark.parametrize(("answered", "event"), [(True, "commit"), (False, "otherwise")])
def test_an_action_that_comes_after_the_settlement_runs_at_once(answered: bool, event: str):
    call = Call()
    call.settle(answered=answered)
    assert Settled(call).events == [event]


def test_the_current_call_is_the_innermost_running_one():
    outer, inner = Call(), Call()
    with running(outer):
        with running(inner):
            assert current_call() is inner
        assert current_call() is outer
    assert current_call() not in (outer, inner)
