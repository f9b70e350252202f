"""Everyday commands in about the time Python takes to start.

Contract: `attempt` answers an ordinary command exactly as the whole command line would, or leaves it
untouched. Help, mistakes, unusual spellings and whatever goes wrong are for the whole command line.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.inbox.envelope import SendReceipt

_SHORT = {"-f": "--file", "-c": "--comment"}
_SEND_VALUES = ("--file", "--comment", "--line", "--root")
_DRAIN_VALUES = ("--root",)


def attempt(arguments: list[str]) -> int | None:
    """Run the command and return its exit status, or None when the whole command line must look at it."""
    if sys.stdout is None:
        return None
    command = arguments[:1] if arguments[:1] == ["send"] else arguments[:2]
    rest = arguments[len(command) :]
    try:
        if command in (["send"], ["inbox", "send"]):
            return _send(_options(rest, _SEND_VALUES, ("--json",)))
        if command == ["inbox", "drain"]:
            return _drain(_options(rest, _DRAIN_VALUES, ("--json", "--hook")))
    except KeyboardInterrupt:
        return 130
    return None


def _options(
    arguments: list[str], with_value: tuple[str, ...], flags: tuple[str, ...]
) -> dict[str, str] | None:
    """Return what was given by option, or None unless every argument is an option given once."""
    given: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, glued, value = _SHORT.get(argument, argument).partition("=")
        if name in given:
            return None
        if name in with_value:
            following = value if glued else next(rest, None)
            if following is None:
                return None
            given[name] = following
        elif argument in flags:
            given[argument] = ""
        else:
            return None
    return given


def _send(given: dict[str, str] | None) -> int | None:
    if given is None or "--file" not in given or "--comment" not in given or _is_for_a_person(given):
        return None
    from holdfast.inbox.quick import post
    from holdfast.storage.sql.quick import OutOfTheOrdinary

    try:
        posted = post(start_of(given), given["--file"], given["--comment"], given.get("--line"))
    except (OutOfTheOrdinary, OSError, ValueError):
        return None
    return write(_receipt(posted) if "--json" in given else _words(posted))


def _drain(given: dict[str, str] | None) -> int | None:
    if given is None or _is_for_a_person(given):
        return None
    from holdfast.inbox.quick import nothing_waits
    from holdfast.storage.sql.quick import OutOfTheOrdinary

    start = start_of(given)
    try:
        nothing = nothing_waits(start)
    except (OutOfTheOrdinary, OSError, ValueError):
        return None
    if not nothing:
        return _hand_over(start) if "--hook" in given and "--json" not in given else None
    return write('{"text":"","message_ids":[],"waiting":0}\n') if "--json" in given else 0


def _hand_over(start: str) -> int | None:
    """Print what waits; where that cannot begin, give it back and let the whole command line try."""
    from contextlib import closing, suppress
    from pathlib import Path

    from holdfast.faces.cli.output import OutputFailed, write_words
    from holdfast.inbox.delivery import lease_fitting
    from holdfast.inbox.store import Inbox
    from holdfast.kernel.call import Call, running
    from holdfast.kernel.errors import HoldfastError
    from holdfast.kernel.limits import LIMITS
    from holdfast.storage.git.repository import Repository

    call = Call(seconds=LIMITS.operation_seconds)
    written = False
    try:
        with closing(Inbox.open(Repository.discover(Path(start)))) as room:
            try:
                with running(call):
                    text, _ = lease_fitting(room, LIMITS.hook_characters, hook=True)
                write_words(text)
                written = True
            finally:
                if not written:
                    with suppress(HoldfastError):
                        call.settle(answered=False)
            call.settle(answered=True)
    except (HoldfastError, OSError, ValueError, OutputFailed) as failure:
        return _failed(failure) if written or isinstance(failure, OutputFailed) else None
    return 0


def _failed(failure: Exception) -> int:
    """Say what went wrong with an answer, or after it."""
    from holdfast.faces.cli import failures, output
    from holdfast.kernel.errors import HoldfastError

    if isinstance(failure, output.OutputFailed):
        return failures.report_unwritten(failure)
    if isinstance(failure, HoldfastError):
        return failures.report(failure, as_json=False)
    raise failure


def start_of(given: dict[str, str]) -> str:
    """Return where the repository is looked for; an empty answer is for the whole command line to refuse."""
    return given["--root"] if "--root" in given else os.environ.get("HOLDFAST_ROOT") or os.getcwd()


def _is_for_a_person(given: dict[str, str]) -> bool:
    """Tell whether JSON goes to a terminal, where it is laid out for reading."""
    return "--json" in given and os.isatty(1)


def _words(posted: SendReceipt) -> str:
    from holdfast.inbox.envelope import acknowledgement

    return f"{acknowledgement(posted.file, duplicate=posted.duplicate)}\n"


def _receipt(posted: SendReceipt) -> str:
    # Every text in an ordinary receipt is printable, without quotes or backslashes.
    line = "null" if posted.line is None else f'"{posted.line}"'
    duplicate = "true" if posted.duplicate else "false"
    return (
        f'{{"id":"{posted.id}","file":"{posted.file}","line":{line},'
        f'"time":"{posted.time}","duplicate":{duplicate},"warning":null}}\n'
    )


def write(text: str) -> int:
    """Write the answer; where that fails, let the whole command line say so."""
    data = text.encode("utf-8", "replace")
    written = 0
    try:
        written = os.write(1, data)
    except OSError:
        pass
    if written == len(data):
        return 0
    from holdfast.faces.cli import output

    try:
        output.write(data[written:].decode("utf-8", "replace"))
    except output.OutputFailed as failure:
        return _failed(failure)
    return 0
