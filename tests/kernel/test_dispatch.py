from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import field_validator

from holdfast.kernel.call import Call, current_call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import (
    Cancelled,
    Conflict,
    DeadlineExceeded,
    Internal,
    InvalidArguments,
    UnknownTool,
)
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import Registry, Selection
from holdfast.kernel.resource import ResourceBody
from holdfast.kernel.toolset import Toolset
from tests.kernel.example import Add, Sum, Words, numbers, trouble

EVERYTHING = Selection(toolsets=frozenset({"numbers", "trouble"}))


class Broken(Input):
    number: int = 0

    @field_validator("number")
    @classmethod
    def breaks(cls, number: int) -> int:
        raise KeyError(number)


class House:
    """The example rooms behind a dispatcher, with what a test may look at."""

    def __init__(self, selection: Selection = EVERYTHING) -> None:
        self.count: list[int] = []
        self.waiting = {name: threading.Event() for name in ("started", "released", "ended")}
        rooms: dict[str, Any] = {"numbers": self.count, "trouble": self.waiting}
        self.dispatcher = Dispatcher(Registry([numbers(), trouble()], selection), rooms.__getitem__)

    def operation(self, name: str) -> Operation:
        return self.dispatcher.registry.operation(name)

    def run(self, name: str, arguments: dict[str, Any] | None = None, call: Call | None = None) -> Any:
        return self.dispatcher.run(self.operation(name), arguments, call or Call())

    async def aside(self, name: str, call: Call) -> Any:
        return await self.dispatcher.run_in_thread(lambda: self.run(name, None, call), call)


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.waiting["released"].set()
    house.dispatcher.close()


def test_a_result_comes_back_as_its_model(house: House):
    assert house.run("add", {"firstNumber": 1, "second": 2}) == Sum(the_sum=3)


def test_an_operation_does_not_run_with_arguments_its_model_refuses(house: House):
    with pytest.raises(InvalidArguments):
        house.run("count.up", {"by": 2})
    assert house.count == []


def test_a_foreseen_failure_stays_itself(house: House):
    with pytest.raises(Conflict, match="Somebody else") as caught:
        house.run("refuse")
    assert caught.value.hint == "Look again."


def test_an_unforeseen_failure_is_internal_with_a_reference(
    house: House, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(Internal) as caught:
        house.run("fail")
    error = caught.value
    reference = str(error.data["reference"])
    assert re.fullmatch(r"[0-9a-f]{8}", reference)
    assert reference in error.message
    assert "4711" not in error.sentence()
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert f"internal error {reference}" in caplog.text
    assert "RuntimeError: the secret is 4711" in caplog.text
    assert capsys.readouterr().out == ""


def test_a_model_that_breaks_is_internal_too(caplog: pytest.LogCaptureFixture):
    room = Toolset("broken", "Broken.")

    @room.operation("use", title="Use", effect=Effect.READ, example="")
    def use(_room: Any, _arguments: Broken) -> Sum:
        """Use what is broken."""
        return Sum(the_sum=0)

    dispatcher = Dispatcher(Registry([room]), lambda name: None)
    with pytest.raises(Internal):
        dispatcher.run(room.operations[0], {"number": 1}, Call())
    assert "KeyError" in caplog.text


def test_a_room_that_does_not_open_is_an_internal_error(caplog: pytest.LogCaptureFixture):
    dispatcher = Dispatcher(Registry([numbers()]), lambda name: 1 / 0)
    with pytest.raises(Internal):
        dispatcher.run(numbers().operations[0], {"firstNumber": 1}, Call())
    assert "ZeroDivisionError" in caplog.text


def test_read_only_holds_even_for_an_operation_in_hand():
    house = House(Selection(read_only=True))
    for operation in numbers().operations[1:]:
        with pytest.raises(UnknownTool):
            house.dispatcher.run(operation, {}, Call())
        disguised = replace(operation, effect=Effect.READ)
        with pytest.raises(UnknownTool):
            house.dispatcher.run(disguised, {}, Call())
    assert house.count == []


def test_an_operation_knows_its_call():
    seen = []
    room = Toolset("curious", "Looks around.")

    @room.operation("look", title="Look", effect=Effect.READ, example="")
    def look(_room: Any, _arguments: Add) -> Sum:
        """Look around."""
        seen.append(current_call())
        return Sum(the_sum=0)

    call = Call()
    Dispatcher(Registry([room]), lambda name: None).run(room.operations[0], {"firstNumber": 1}, call)
    assert seen == [call]


def test_a_cancelled_call_does_not_start(house: House):
    call = Call()
    call.cancel()
    with pytest.raises(Cancelled):
        house.run("count.up", call=call)
    assert house.count == []


def test_a_new_call_has_the_operations_time_or_the_default(house: House):
    def clock() -> float:
        return 0.0

    dispatcher = house.dispatcher
    assert dispatcher.new_call(house.operation("add"), clock=clock).remaining() == 5.0
    assert dispatcher.new_call(house.operation("fail"), clock=clock).remaining() == LIMITS.operation_seconds
    assert dispatcher.new_call(clock=clock).remaining() == LIMITS.operation_seconds


def test_resources_and_prompts_go_the_same_way(house: House, caplog: pytest.LogCaptureFixture):
    count, number = house.dispatcher.registry.resources
    prompt = house.dispatcher.registry.prompts[0]
    assert house.dispatcher.read(count, {}, Call()) == ResourceBody(text="0")
    assert house.dispatcher.read(number, {"path": "a", "index": "3"}, Call()) == ResourceBody(text="a: 3")
    with pytest.raises(Internal):
        house.dispatcher.read(number, {"path": "a", "index": "x"}, Call())
    assert house.dispatcher.prompt(prompt, {"firstNumber": "1"}, Call())[0].content == "Explain 1 + 0."
    with pytest.raises(InvalidArguments):
        house.dispatcher.prompt(prompt, {}, Call())
    assert "ValueError" in caplog.text


def test_a_call_aside_ends_at_its_deadline_and_so_does_its_work(house: House):
    async def scenario() -> None:
        with pytest.raises(DeadlineExceeded):
            await house.aside("wait", Call(seconds=0.05))

    asyncio.run(scenario())
    assert house.waiting["ended"].wait(120)


def test_a_call_aside_ends_at_its_deadline_though_the_work_does_not_notice(house: House):
    async def scenario() -> None:
        call = Call(seconds=0.05)
        with pytest.raises(DeadlineExceeded):
            await house.dispatcher.run_in_thread(work, call)
        assert call.cancelled

    ended = []

    def work() -> None:
        ended.append(house.waiting["released"].wait(60))

    asyncio.run(scenario())
    assert not ended
    house.waiting["released"].set()


def test_cancelling_the_waiting_task_stops_the_work(house: House):
    async def scenario() -> None:
        task = asyncio.create_task(house.aside("wait", Call()))
        await asyncio.to_thread(house.waiting["started"].wait, 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert house.waiting["ended"].wait(120)


def test_cancelling_the_call_ends_the_work_with_an_error(house: House):
    async def scenario() -> None:
        call = Call()
        task = asyncio.create_task(house.aside("wait", call))
        await asyncio.to_thread(house.waiting["started"].wait, 5)
        call.cancel()
        with pytest.raises(Cancelled):
            await task

    asyncio.run(scenario())


def test_the_loop_stays_free_while_work_runs(house: House):
    async def scenario() -> Words:
        task = asyncio.create_task(house.aside("wait", Call()))
        for _ in range(50):
            await asyncio.sleep(0)
        house.waiting["released"].set()
        return await task

    assert asyncio.run(scenario()) == Words(words="released")


def test_many_calls_at_once_each_get_their_own_answer():
    running, most, lock, meeting = 0, 0, threading.Lock(), threading.Barrier(2)
    room = Toolset("busy", "Many at once.")

    @room.operation("double", title="Double", effect=Effect.READ, example="")
    def double(_room: Any, arguments: Add) -> Sum:
        """Double a number."""
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        meeting.wait(60)  # for another call, which runs at the same time
        with lock:
            running -= 1
        return Sum(the_sum=2 * arguments.first_number)

    dispatcher = Dispatcher(Registry([room]), lambda name: None)
    operation = room.operations[0]

    async def one(number: int) -> int:
        call = Call(seconds=30)
        result = await dispatcher.run_in_thread(
            lambda: dispatcher.run(operation, {"firstNumber": number}, call), call
        )
        return int(result.wire()["theSum"])

    async def scenario() -> list[int]:
        return await asyncio.gather(*(one(number) for number in range(500)))

    assert asyncio.run(scenario()) == [2 * number for number in range(500)]
    assert 1 < most <= LIMITS.worker_threads
    dispatcher.close()


def failing_room(failure: BaseException) -> Dispatcher:
    room = Toolset("broken", "A room that cannot tell what it has.")

    def members(_room: Any) -> Iterator[Any]:
        raise failure
        yield

    room.resource("broken://{name}", name="Broken", description="One.", members=members)(lambda _room: "")
    return Dispatcher(Registry([room], Selection(toolsets=frozenset({"broken"}))), lambda _name: None)


@pytest.mark.parametrize("failure", [RecursionError(), Conflict("Damaged.")])
def test_a_room_that_cannot_tell_what_it_has_takes_no_other_list_away(failure: BaseException) -> None:
    dispatcher = failing_room(failure)
    assert [*dispatcher.members(dispatcher.registry.resources[0])] == []


def test_the_end_of_a_call_ends_its_listing() -> None:
    dispatcher = failing_room(Cancelled("Enough."))
    with pytest.raises(Cancelled):
        dispatcher.members(dispatcher.registry.resources[0])


def order_of_answers(workers: int, callers: list[str | None]) -> list[str]:
    """Return the order in which callers are answered: the first two jobs of "slow" wait until "quick" is."""
    dispatcher = Dispatcher(
        Registry([numbers()]), lambda _: None, limits=replace(LIMITS, worker_threads=workers)
    )
    released, answered = threading.Event(), []

    async def ask(who: str, caller: str | None) -> None:
        blocks = who == "slow" and len(started) <= workers
        started.append(who)
        # The bound only ends a test that fails.
        await dispatcher.run_in_thread(lambda: released.wait(2) if blocks else True, Call(actor=caller))
        answered.append(who)
        if who == "quick":
            released.set()

    async def ask_all() -> None:
        names = ["slow"] * (len(callers) - 1) + ["quick"]
        await asyncio.gather(*(ask(name, caller) for name, caller in zip(names, callers, strict=True)))

    started: list[str] = []
    asyncio.run(ask_all())
    dispatcher.close()
    return answered


def test_nobody_waits_for_the_backlog_of_another_caller():
    backlog: list[str | None] = ["reader"] * 40
    assert order_of_answers(4, [*backlog, "owner"])[0] == "quick"


def test_without_names_there_is_one_queue():
    assert order_of_answers(4, [None] * 41)[0] == "slow"


def test_callers_take_turns_at_the_only_worker():
    dispatcher = Dispatcher(Registry([numbers()]), lambda _: None, limits=replace(LIMITS, worker_threads=1))
    ran: list[str] = []

    async def ask_all() -> None:
        asked = ["ada"] * 4 + ["bob"] * 2
        calls = [dispatcher.run_in_thread(lambda who=who: ran.append(who), Call(actor=who)) for who in asked]
        await asyncio.gather(*calls)

    asyncio.run(ask_all())
    dispatcher.close()
    assert ran == ["ada", "ada", "bob", "ada", "bob", "ada"]
