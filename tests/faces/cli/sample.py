"""A toolset with one of everything, and a program that offers it: the command line without any room."""

from __future__ import annotations

import sys
import time
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from holdfast.faces.cli import progress
from holdfast.faces.cli.application import run
from holdfast.faces.cli.host import Host
from holdfast.kernel import errors
from holdfast.kernel.call import current_call
from holdfast.kernel.models import Input, NoArguments, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Registry
from holdfast.kernel.toolset import Toolset
from holdfast.kernel.untrusted import UntrustedText

sample = Toolset("sample", "One of everything. Used by tests.")
attic = Toolset("attic", "Seldom used.", hidden=True)


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Corner(Input):
    x: int
    y: int


class DescribeThing(Input):
    model_config = ConfigDict(alias_generator=to_camel)

    thing: str = Field(description="What to describe.")
    extra_words: list[str] = Field(default=[], description="Words to add.")
    line: int | None = Field(default=None, ge=1, description="A line.")
    weight: float = Field(default=1.5, description="How heavy it is.")
    colour: Literal["red", "green", "blue"] = Field(default="red", description="Its colour.")
    size: Size | None = Field(default=None, description="Its size.")
    shiny: bool = Field(default=False, description="Whether it shines.")
    solid: bool = Field(default=True, description="Whether it is solid.")
    known: bool | None = Field(default=None, description="Whether anybody knows it.")
    labels: dict[str, int] = Field(default={}, description="Counted labels.")
    corner: Corner | None = Field(default=None, description="Where it is.")
    corners: list[Corner] = Field(default=[], description="Where its corners are.")
    anything: Any = Field(default=None, description="Whatever you like.")
    source_path: str | None = Field(default=None, description="Where it comes from.")


class Description(Output):
    received: dict[str, Any]
    text: UntrustedText


def _text(result: Any) -> str:
    return str(result.text)


@sample.operation(
    "describe_thing",
    title="Describe a thing",
    effect=Effect.READ,
    example='holdfast sample describe lamp --colour green --label "{}"',
    command="describe",
    shortcut="describe",
    positional=("thing", "extra_words"),
    text=_text,
)
def describe_thing(room: Any, arguments: DescribeThing) -> Description:
    """Say back everything that was given.

    The second paragraph explains more, and is wrapped to the width of the terminal that shows it.
    """
    received = arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return Description(received=received, text=f"a {arguments.colour} {arguments.thing}")


class Fail(Input):
    kind: str = Field(description="The name of the error.")


@sample.operation("fail", title="Fail", effect=Effect.READ, example="holdfast sample fail --kind NotFound")
def fail(room: Any, arguments: Fail) -> Description:
    """Raise the named error."""
    if arguments.kind == "defect":
        raise ZeroDivisionError("secret detail")
    raise getattr(errors, arguments.kind)("It failed.", hint="Try another.", path="a.txt")


class HandOver(Input):
    size: int = Field(default=1, description="How much to hand over.")
    settle: bool = Field(default=True, description="Whether what follows the answer succeeds.")


@sample.operation(
    "hand_over", title="Hand over", effect=Effect.WRITE, example="holdfast sample hand-over", text=_text
)
def hand_over(room: Path, arguments: HandOver) -> Description:
    """Hand something over, and note in a file whether it arrived."""
    settled = room / "settled" if arguments.settle else room / "missing" / "settled"
    current_call().after_answer(lambda: _note(settled, "delivered"), lambda: _note(settled, "kept"))
    return Description(received={}, text="x" * arguments.size)


def _note(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(f"{text}\n")


class Dawdle(Input):
    seconds: float = Field(default=30.0, description="How long.")
    steps: int = Field(default=0, description="How many steps to report.")


@sample.operation("dawdle", title="Dawdle", effect=Effect.WRITE, example="holdfast sample dawdle", text=_text)
def dawdle(room: Path, arguments: Dawdle) -> Description:
    """Take time, reporting progress."""
    settled = room / "settled"
    current_call().after_answer(lambda: _note(settled, "delivered"), lambda: _note(settled, "kept"))
    for step in range(arguments.steps):
        current_call().progress(step, arguments.steps, f"step {step}\x1b[31m")
    (room / "started").touch()
    time.sleep(arguments.seconds)
    return Description(received={}, text="done")


class Say(Input):
    text: str = Field(description="What to say.")


@sample.operation("say", title="Say", effect=Effect.READ, example="holdfast sample say --text hi", text=_text)
def say(room: Any, arguments: Say) -> Description:
    """Say a text, with escapes like \\n and \\u202e understood."""
    return Description(received={}, text=arguments.text.encode().decode("unicode_escape"))


class Damage(Output):
    count: int

    @property
    def exit_code(self) -> int:
        return 8


@sample.operation("damage", title="Damage", effect=Effect.READ, example="holdfast sample damage")
def damage(room: Any, arguments: NoArguments) -> Damage:
    """Find damage."""
    return Damage(count=1)


class Measure(Input):
    format: Literal["summary", "markdown"] = Field(default="summary", description="The format of the text.")


class Measurement(Output):
    format: str
    method: str


def _report(result: Measurement, _width: int = 0) -> str:
    return f"# Files\n| Name | Size |\n| --- | ---: |\n| a.py | 7 |\n\nrisk is high\n\n{result.method}"


@sample.operation(
    "measure",
    title="Measure",
    effect=Effect.READ,
    example="holdfast sample measure",
    text=_report,
    table=_report,
    report_formats=("summary",),
)
def measure(room: Any, arguments: Measure) -> Measurement:
    """Measure something, and say how."""
    return Measurement(format=arguments.format, method="By counting.")


@attic.operation("rummage", title="Rummage", effect=Effect.READ, example="holdfast attic rummage")
def rummage(room: Any, arguments: NoArguments) -> Damage:
    """Look through the attic."""
    return Damage(count=0)


class SampleWorkspace:
    """Its rooms are all the directory itself."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def room(self, toolset: str) -> Path:
        return self.directory

    def close(self) -> None:
        """Nothing is open."""


def host() -> Host:
    return Host.of(Registry((sample, attic)), SampleWorkspace)


if __name__ == "__main__":
    progress.UPDATE_INTERVAL_SECONDS = 0.0  # so that each step that is reported is shown
    sys.exit(run(None, host()))
