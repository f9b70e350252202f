"""Deferred calls belong to their callers, are kept for a day, and are never unfinished without a process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.deferred_calls import DeferredCall, DeferredCalls
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository

QUESTION = {"method": "roots/list"}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def opened(repository: Path, clock: Clock | None = None) -> Iterator[DeferredCalls]:
    calls = DeferredCalls(Repository.discover(repository), clock=clock or Clock())
    try:
        yield calls
    finally:
        calls.close()


def created(calls: DeferredCalls, caller: str = "alice") -> DeferredCall:
    call = calls.create(caller, "sample")
    assert call is not None
    return call


def test_a_result_is_kept_for_a_day_and_only_for_its_caller(repository: Path) -> None:
    clock = Clock()
    with opened(repository, clock) as calls:
        call = created(calls)
        calls.finish(call.id, "completed", {"text": "done"})
        calls.finish(call.id, "failed", {"text": "later"})
    with opened(repository, clock) as calls:
        assert calls.find(call.id, "alice").outcome == {"text": "done"}
        with pytest.raises(NotFound):
            calls.find(call.id, "bob")
        clock.now += timedelta(seconds=LIMITS.deferred_call_seconds + 1)
        with pytest.raises(NotFound):
            calls.find(call.id, "alice")
        created(calls)  # removes what has expired
        clock.now -= timedelta(days=2)
        with pytest.raises(NotFound):
            calls.find(call.id, "alice")


def test_a_call_fails_with_its_process(repository: Path) -> None:
    with opened(repository) as calls, opened(repository) as others:
        call = created(calls)
        assert others.find(call.id, "alice").state == "working"
        calls.close()
        assert others.find(call.id, "alice").state == "failed"


def test_a_new_process_with_the_number_of_an_old_one_fails_its_calls(repository: Path) -> None:
    with opened(repository) as calls:
        call = created(calls)
    with opened(repository) as calls:
        assert created(calls).process == call.process
        assert calls.find(call.id, "alice").state == "failed"


def test_a_question_is_never_asked_twice_under_one_key(repository: Path) -> None:
    with opened(repository) as calls:
        call = created(calls)
        assert calls.ask(call.id, "alice", {"a": QUESTION, "b": QUESTION}) == {"a": "a", "b": "b"}
        calls.answer(call.id, "alice", {"a": {}, "c": {}}, lambda _, response: dict(response))
        waiting = calls.find(call.id, "alice")
        assert (waiting.state, list(waiting.questions)) == ("input_required", ["b"])
        calls.answer(call.id, "alice", {"b": {}}, lambda _, __: None)
        assert calls.find(call.id, "alice").state == "input_required"
        calls.answer(call.id, "alice", {"b": {}}, lambda _, response: dict(response))
        assert calls.find(call.id, "alice").state == "working"
        [key] = calls.ask(call.id, "alice", {"a": QUESTION}).values()
        assert key not in calls.find(call.id, "alice").answers


def test_calls_that_run_at_once_are_limited(repository: Path) -> None:
    with opened(repository) as calls:
        running = [created(calls) for _ in range(LIMITS.deferred_calls)]
        assert calls.create("alice", "sample") is None
        calls.finish(running[0].id, "cancelled", None)
        assert calls.create("alice", "sample") is not None
