"""A fast path for `send`, `hook` and `inbox drain`, which take hardly longer than Python takes to start.

These commands run many times an hour, from a key binding and from hooks, so they import almost nothing.

Contract: `attempt` either answers a command exactly as the full command line would, or does nothing. It
leaves help, mistakes, unusual spellings and every failure to the full command line, except a failure of the
disk while a message was stored: then it is stored again under the same time, so that it stays one message.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # see `__init__`: quick commands do not import `typing`
if TYPE_CHECKING:
    from holdfast.inbox.envelope import SendReceipt

_LONG_FORMS = {"-f": "--file", "-c": "--comment"}
_SEND_OPTIONS = ("--file", "--comment", "--line", "--root")
_DRAIN_OPTIONS = ("--root",)
_EVENTS = ("session-start", "prompt", "before-edit", "after-edit", "stop")
"""As in `installation.dialects`; a test compares them."""
_HOOK_OPTIONS = ("--client", "--root")


def attempt(arguments: list[str]) -> int | None:
    """Run the command and return its exit status, or None to leave it to the full command line."""
    if sys.stdout is None:
        return None
    if arguments[:1] == ["hook"]:
        return _hook(arguments[1:2], _parse_options(arguments[2:], _HOOK_OPTIONS, flags=("--refuse",)))
    command = arguments[:1] if arguments[:1] == ["send"] else arguments[:2]
    rest = arguments[len(command) :]
    try:
        if command in (["send"], ["inbox", "send"]):
            return _send(_parse_options(rest, _SEND_OPTIONS, flags=("--json", "--anyway")))
        if command == ["inbox", "drain"]:
            return _drain(_parse_options(rest, _DRAIN_OPTIONS, flags=("--json", "--hook")))
    except KeyboardInterrupt:
        return 130
    return None


def _parse_options(
    arguments: list[str], with_value: tuple[str, ...], flags: tuple[str, ...]
) -> dict[str, str] | None:
    """Return the options with their values (of flags, an empty one), or None if these are not all options.

    An option that is repeated, or lacks its value, is left to the full command line too.
    """
    options: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals_sign, value = _LONG_FORMS.get(argument, argument).partition("=")
        if name in options:
            return None
        if name in with_value:
            option_value = value if equals_sign else next(rest, None)
            if option_value is None:
                return None
            options[name] = option_value
        elif argument in flags:
            options[argument] = ""
        else:
            return None
    return options


def _hook(event: list[str], options: dict[str, str] | None) -> int | None:
    if not event or event[0] not in _EVENTS or options is None or "--client" not in options:
        return None
    from holdfast.faces.hooks.command import run_hook

    return run_hook(event[0], options["--client"], options.get("--root"), refuses="--refuse" in options)


def _send(options: dict[str, str] | None) -> int | None:
    if (
        options is None
        or "--file" not in options
        or "--comment" not in options
        or _prints_json_on_terminal(options)
    ):
        return None
    from holdfast.inbox.quick import send_ordinary
    from holdfast.storage.sql.quick import NeedsFullProgram

    try:
        receipt = send_ordinary(
            _start(options), options["--file"], options["--comment"], options.get("--line")
        )
    except (NeedsFullProgram, OSError, ValueError):
        return None
    except Exception as failure:
        from holdfast.kernel.errors import HoldfastError

        if not isinstance(failure, HoldfastError):
            raise
        return _report(failure, as_json="--json" in options)  # of the second attempt to store it
    return _write(_receipt_json(receipt) if "--json" in options else _acknowledgement(receipt))


def _drain(options: dict[str, str] | None) -> int | None:
    if options is None or _prints_json_on_terminal(options):
        return None
    from holdfast.inbox.quick import is_inbox_empty
    from holdfast.storage.sql.quick import NeedsFullProgram

    start = _start(options)
    try:
        is_empty = is_inbox_empty(start)
    except (NeedsFullProgram, OSError, ValueError):
        return None
    if not is_empty:
        return _print_waiting(start) if "--hook" in options and "--json" not in options else None
    return _write('{"text":"","message_ids":[],"waiting":0}\n') if "--json" in options else 0


def _print_waiting(start: str) -> int | None:
    """Print the waiting messages; on a failure before that, roll back and return None."""
    from contextlib import closing, suppress
    from pathlib import Path

    from holdfast.faces.cli.output import OutputFailed, write_text
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
                write_text(text)
                written = True
            finally:
                if not written:
                    with suppress(HoldfastError):
                        call.settle(answered=False)
            call.settle(answered=True)
    except (HoldfastError, OSError, ValueError, OutputFailed) as failure:
        return _report(failure) if written or isinstance(failure, OutputFailed) else None
    return 0


def _report(failure: Exception, *, as_json: bool = False) -> int:
    """Report a failure that occurred while the answer was written, or afterwards."""
    from holdfast.faces.cli import failures, output
    from holdfast.kernel.errors import HoldfastError

    if isinstance(failure, output.OutputFailed):
        return failures.report_write_failure(failure)
    if isinstance(failure, HoldfastError):
        return failures.report(failure, as_json=as_json)
    raise failure


def _start(options: dict[str, str]) -> str:
    """Return the directory to search for the repository; the full command line refuses an empty one."""
    return options["--root"] if "--root" in options else os.environ.get("HOLDFAST_ROOT") or os.getcwd()


def _prints_json_on_terminal(options: dict[str, str]) -> bool:
    """Return whether JSON is printed on a terminal, where it is indented."""
    return "--json" in options and os.isatty(1)


def _acknowledgement(receipt: SendReceipt) -> str:
    from holdfast.inbox.envelope import acknowledgement

    return f"{acknowledgement(receipt.file, duplicate=receipt.duplicate)}\n"


def _receipt_json(receipt: SendReceipt) -> str:
    # All texts that get here are printable and have no quotes or backslashes, so they need no escaping.
    line = "null" if receipt.line is None else f'"{receipt.line}"'
    duplicate = "true" if receipt.duplicate else "false"
    return (
        f'{{"id":"{receipt.id}","file":"{receipt.file}","line":{line},'
        f'"time":"{receipt.time}","duplicate":{duplicate},"warning":null}}\n'
    )


def _write(text: str) -> int:
    """Write the answer and return the exit status, reporting a failure to write."""
    data = text.encode("utf-8", "replace")
    written = 0
    try:
        written = os.write(1, data)
    except OSError:
        pass  # The full writer below tries again, and reports the failure.
    if written == len(data):
        return 0
    from holdfast.faces.cli import output

    try:
        output.write(data[written:].decode("utf-8", "replace"))
    except output.OutputFailed as failure:
        return _report(failure)
    return 0
