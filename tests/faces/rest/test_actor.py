"""Operations know who called them, by the name of the token."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from holdfast.faces.http.access import Caller
from holdfast.faces.http.asgi import EXCHANGE, HttpExchange
from holdfast.faces.rest.operations import OperationRoute
from holdfast.kernel.call import Call, Role, current_call
from holdfast.kernel.dispatch import Dispatcher
from holdfast.kernel.operation import Effect, NoArguments, Output, Toolset
from holdfast.kernel.registry import Registry

people = Toolset("people", "People.")


class Named(Output):
    """Somebody."""

    name: str | None


@people.operation("who", title="Who", effect=Effect.READ, example="holdfast people who")
def who(room: object, args: NoArguments) -> Named:
    """Say who asks."""
    del room, args
    return Named(name=current_call().actor)


@pytest.mark.requirement("http-7")
@pytest.mark.evidence("G4", "HTTP", "whose token it was, not who it says it is")
def test_an_operation_knows_the_name_of_the_token_that_called_it() -> None:
    dispatcher = Dispatcher(Registry([people]), lambda _: None)
    exchange = HttpExchange(Caller("ada", Role.READ, "token:ada"))

    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def answer() -> bytes:
        scope: dict[str, Any] = {"method": "GET", "query_string": b"", EXCHANGE: exchange}
        response = await OperationRoute(people.operations[0], dispatcher).answer(scope, {}, b"", never)
        return bytes(response.body)

    assert json.loads(asyncio.run(answer())) == {"name": "ada"}
    dispatcher.close()


def test_without_a_token_there_is_no_name() -> None:
    assert Call().actor is None
