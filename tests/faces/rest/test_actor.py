"""Operations know who called them, by the name of the token."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import Field

from holdfast.faces.http.access import Principal
from holdfast.faces.http.exchange import EXCHANGE, HttpExchange
from holdfast.faces.rest.operations import OperationRoute
from holdfast.kernel.call import Call, current_call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.models import Input, NoArguments, Output
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import Registry
from holdfast.kernel.role import Role
from holdfast.kernel.toolset import Toolset

people = Toolset("people", "People.")


class Claim(Input):
    """Who somebody says to be."""

    name: str = Field(description="The name.")


class Named(Output):
    """Somebody."""

    name: str | None


@people.operation("who", title="Who", effect=Effect.READ, example="holdfast people who")
def who(room: object, args: NoArguments) -> Named:
    """Say who asks."""
    del room, args
    return Named(name=current_call().actor)


@people.operation("believe", title="Believe", effect=Effect.READ, example="holdfast people believe ada")
def believe(room: object, args: Claim) -> Named:
    """Take somebody's word for who it is."""
    del room
    return Named(name=args.name)


def answer_to_ada(operation: Operation, query: bytes = b"") -> str | None:
    """Ask with the token of ada, and return the name that the operation knows."""
    dispatcher = Dispatcher(Registry([people]), lambda _: None)
    exchange = HttpExchange(Principal("ada", Role.READ, "token:ada"))

    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def answer() -> bytes:
        scope: dict[str, Any] = {"method": "GET", "query_string": query, EXCHANGE: exchange}
        response = await OperationRoute(operation, dispatcher).answer(scope, {}, b"", never)
        return bytes(response.body)

    try:
        name: str | None = json.loads(asyncio.run(answer()))["name"]
        return name
    finally:
        dispatcher.close()


@pytest.mark.requirement("http-7")
@pytest.mark.evidence("G4", "HTTP", "whose token it was, not who it says it is")
def test_an_operation_knows_the_name_of_the_token_that_called_it() -> None:
    assert answer_to_ada(people.operations[0]) == "ada"


@pytest.mark.evidence("G4", "HTTP", control="takes the caller's word for it")
def test_control_an_operation_that_believes_its_caller_is_told_another_name() -> None:
    assert answer_to_ada(people.operations[1], b"name=grace") == "grace"


def test_without_a_token_there_is_no_name() -> None:
    assert Call().actor is None
