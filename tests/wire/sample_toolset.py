"""Operations that misbehave, block, print, or answer with too much: what the wire must stand."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

from pydantic import Field

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Busy, HoldfastError, Invalid, NotFound
from holdfast.kernel.models import Input, NoArguments, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.prompt import PromptMessage
from holdfast.kernel.questions import Form
from holdfast.kernel.resource import ResourceBody
from holdfast.kernel.toolset import Toolset


class TemplateNotFound(NotFound):
    kind = "template_not_found"
    number = 4041


class InvalidTemplateUri(Invalid):
    kind = "invalid_template_uri"
    number = 4007


class ParameterValidation(Invalid):
    kind = "parameter_validation"
    number = 4008


FAILURES: dict[str, type[HoldfastError]] = {
    error.kind: error
    for error in (TemplateNotFound, InvalidTemplateUri, ParameterValidation, Invalid, NotFound)
}


class Echo(Input):
    text: str = Field(description="What to say back.")


class Echoed(Output):
    text: str


class Wait(Input):
    seconds: float = Field(description="How long to take.")
    steps: int = Field(1, description="How many progress reports to make.")
    afresh: bool = Field(False, description="Whether to count something else from zero afterwards.")


class Hold(Input):
    file: str = Field(description="The file whose appearance ends it.")


class Size(Input):
    size: int = Field(description="How many characters to answer with.")


class Deliver(Size):
    seconds: float = Field(0.0, description="How long to take, without looking at the clock.")


class Commit(Input):
    how: str = Field(description="slowly, busy or broken.")


class Fail(Input):
    kind: str = Field(description="Which failure.")


class Topic(Input):
    topic: str = Field("kelp", description="What about.")


def sample_toolset(family: str = "core") -> Toolset:
    """Return the toolset, its failures in the codes of `family`."""
    sample = Toolset("sample", "Operations for tests.", family=family)

    @sample.operation("echo", title="Echo", effect=Effect.READ, example="holdfast sample echo --text hi")
    def echo(room: Any, args: Echo) -> Echoed:
        """Say the text back."""
        return Echoed(text=args.text)

    @sample.operation("store", title="Store", effect=Effect.WRITE, example="holdfast sample store --text hi")
    def store(room: Any, args: Echo) -> Echoed:
        """Pretend to write."""
        return Echoed(text=args.text)

    @sample.operation(
        "wait", title="Wait", effect=Effect.READ, example="holdfast sample wait --seconds 1", seconds=120
    )
    def wait(room: Any, args: Wait) -> Echoed:
        """Take a while, checking for cancellation, and record whether it was noticed."""
        call = current_call()
        ends = time.monotonic() + args.seconds
        _say("waiting")
        try:
            for step in range(args.steps):
                call.progress(step + 1, args.steps, "working")
                while time.monotonic() < ends - args.seconds * (1 - (step + 1) / args.steps):
                    call.check()
                    time.sleep(0.005)
        except HoldfastError as failure:
            print(f"stopped: {failure.kind}", file=sys.stderr, flush=True)
            raise
        for step in range(3 if args.afresh else 0):
            call.progress(step, 2, "working on")
        return Echoed(text="done")

    running, most, lock = 0, 0, threading.Lock()

    @sample.operation(
        "hold", title="Hold", effect=Effect.READ, example="holdfast sample hold --file x", seconds=120
    )
    def hold(room: Any, args: Hold) -> Echoed:
        """Run until a file appears; return how many of these have run at once so far."""
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        _say("holding")
        while not os.path.exists(args.file):
            current_call().check()
            time.sleep(0.005)
        with lock:
            running -= 1
            return Echoed(text=str(most))

    @sample.operation(
        "spin", title="Spin", effect=Effect.READ, example="holdfast sample spin --seconds 1", seconds=120
    )
    def spin(room: Any, args: Wait) -> Echoed:
        """Compute without a pause, as an analysis does."""
        call = current_call()
        ends = time.monotonic() + args.seconds
        total = 0
        while time.monotonic() < ends:
            total += sum(range(20_000))
            call.check()
        return Echoed(text="done")

    @sample.operation(
        "stubborn", title="Stubborn", effect=Effect.READ, example="holdfast sample stubborn --seconds 1"
    )
    def stubborn(room: Any, args: Wait) -> Echoed:
        """Never look at the clock."""
        time.sleep(args.seconds)
        return Echoed(text="done")

    @sample.operation("large", title="Large", effect=Effect.READ, example="holdfast sample large --size 1")
    def large(room: Any, args: Size) -> Echoed:
        """Answer with many characters."""
        return Echoed(text="x" * args.size)

    @sample.operation("noise", title="Noise", effect=Effect.READ, example="holdfast sample noise")
    def noise(room: Any, args: NoArguments) -> Echoed:
        """Print everywhere a program can print."""
        print("stray print")
        sys.stdout.write("stray write\n")
        os.write(1, b"stray descriptor write\n")
        subprocess.run(["echo", "stray child"], check=True)
        warnings.warn("stray warning", stacklevel=1)
        assert not subprocess.run(["cat"], capture_output=True, check=True).stdout
        return Echoed(text="quiet")

    @sample.operation("fail", title="Fail", effect=Effect.READ, example="holdfast sample fail --kind invalid")
    def fail(room: Any, args: Fail) -> Echoed:
        """Fail in the way asked for."""
        if args.kind in FAILURES:
            raise FAILURES[args.kind]("It failed as asked.", hint="Ask for something else.")
        raise RuntimeError("secret /etc/passwd contents")

    @sample.operation(
        "deliver", title="Deliver", effect=Effect.WRITE, example="holdfast sample deliver --size 1"
    )
    def deliver(room: Any, args: Deliver) -> Echoed:
        """Say on standard error whether the answer was written."""
        time.sleep(args.seconds)
        current_call().after_answer(lambda: _say("answered"), lambda: _say("unanswered"))
        return Echoed(text="x" * args.size)

    @sample.operation(
        "commit", title="Commit", effect=Effect.WRITE, example="holdfast sample commit --how FILE"
    )
    def commit(room: Any, args: Commit) -> Echoed:
        """Leave something to do after the answer that takes long or fails."""
        current_call().after_answer(lambda: _commit(args.how), lambda: _say("unanswered"))
        return Echoed(text=args.how)

    @sample.operation("confirm", title="Confirm", effect=Effect.READ, example="holdfast sample confirm")
    def confirm(room: Any, args: NoArguments) -> Echoed:
        """Ask a person."""
        schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
        answer = current_call().ask({"ok": Form("Really?", schema)})["ok"]
        return Echoed(text=answer["action"])

    @sample.operation(
        "decorated",
        title="Decorated",
        effect=Effect.READ,
        example="holdfast sample decorated --text hi",
        result_fields=lambda result: {"metadata": {"length": len(result.text)}},
        annotations={"category": "sample", "requiresConfirmation": False},
    )
    def decorated(room: Any, args: Echo) -> Echoed:
        """Answer with fields beside the content."""
        return Echoed(text=args.text)

    @sample.operation(
        "sample.dotted", title="Dotted", effect=Effect.READ, example="holdfast sample sample-dotted --text hi"
    )
    def dotted(room: Any, args: Echo) -> Echoed:
        """Have a name that some hosts refuse."""
        return Echoed(text=args.text)

    @sample.resource("sample://note", name="Note", description="A note.", topic="sample")
    def note(room: Any) -> ResourceBody:
        return ResourceBody(text="noted", fields={"annotations": {"priority": 1}})

    @sample.resource("sample://file/{+path}", name="File", description="A file.", topic="sample")
    def file(room: Any, path: str) -> str:
        return path

    @sample.resource(
        "sample://bytes", name="Bytes", description="Bytes.", mime_type="application/octet-stream"
    )
    def data(room: Any) -> ResourceBody:
        return ResourceBody(data=b"\x00\x01")

    @sample.prompt("explain", title="Explain")
    def explain(room: Any, args: Topic) -> list[PromptMessage]:
        """Explain a topic."""
        return [PromptMessage(f"Explain {args.topic}.")]

    return sample


def _say(word: str) -> None:
    print(word, file=sys.stderr, flush=True)


def _commit(how: str) -> None:
    if how == "busy":
        raise Busy("The store is busy.")
    if how == "broken":
        raise OSError("The disk is gone.")
    while not os.path.exists(how):
        time.sleep(0.005)
    _say("committed")
