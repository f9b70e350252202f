"""A small house for the tests of the kernel: two rooms, one of them hidden, with all that can be declared."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Conflict
from holdfast.kernel.models import Input, NoArguments, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.prompt import PromptMessage
from holdfast.kernel.toolset import Toolset


class Add(Input):
    first_number: int = Field(alias="firstNumber", ge=0)
    second: int = 0


class Sum(Output):
    the_sum: int = Field(alias="theSum")


class Words(Output):
    words: str


def numbers() -> Toolset:
    room = Toolset("numbers", "Sums and counts.", family="arithmetic")

    @room.operation(
        "add", title="Add", effect=Effect.READ, example="holdfast numbers add 1", specified=True, seconds=5.0
    )
    def add(_room: Any, arguments: Add) -> Sum:
        """Add two numbers.

        Both are whole.
        """
        return Sum(the_sum=arguments.first_number + arguments.second)

    @room.operation("count.up", title="Count", effect=Effect.WRITE, example="holdfast numbers count-up")
    def count(room: list[int], _arguments: NoArguments) -> Sum:
        """Count one further."""
        room.append(1)
        return Sum(the_sum=len(room))

    @room.operation("forget", title="Forget", effect=Effect.DESTRUCTIVE, example="holdfast numbers forget")
    def forget(room: list[int], _arguments: NoArguments) -> Sum:
        """Forget the count."""
        room.clear()
        return Sum(the_sum=0)

    @room.resource("numbers://count", name="Count", description="How far we are.", specified=True)
    def read_count(room: list[int]) -> str:
        return str(len(room))

    @room.resource("numbers://{+path}/at/{index}", name="Number", description="One number.")
    def read_number(_room: list[int], path: str, index: str) -> str:
        return f"{path}: {int(index)}"

    @room.prompt("explain", title="Explain")
    def explain(_room: Any, arguments: Add) -> list[PromptMessage]:
        """Explain a sum."""
        return [PromptMessage(f"Explain {arguments.first_number} + {arguments.second}.")]

    return room


def trouble() -> Toolset:
    room = Toolset("trouble", "Everything that goes wrong.", hidden=True)

    @room.operation("fail", title="Fail", effect=Effect.READ, example="holdfast trouble fail")
    def fail(_room: Any, _arguments: NoArguments) -> Words:
        """Fail as nobody foresaw."""
        raise RuntimeError("the secret is 4711")

    @room.operation("refuse", title="Refuse", effect=Effect.READ, example="holdfast trouble refuse")
    def refuse(_room: Any, _arguments: NoArguments) -> Words:
        """Fail as foreseen."""
        raise Conflict("Somebody else was quicker.", hint="Look again.")

    @room.operation("wait", title="Wait", effect=Effect.READ, example="holdfast trouble wait")
    def wait(room: Any, _arguments: NoArguments) -> Words:
        """Wait until nobody waits any more."""
        room["started"].set()
        try:
            while not room["released"].wait(0.005):
                current_call().check()
        finally:
            room["ended"].set()
        return Words(words="released")

    return room
