"""Starts Holdfast's programs by forking a process that has already imported them.

A short command spends most of its time on imports, and the tests start some thousands of commands and
servers. `run` and `Popen` are `subprocess.run` and `subprocess.Popen` for `holdfast`, `git-mile` and
`python -m MODULE`: the command runs in a process of its own, with its own environment, directory and streams,
and ends as any Python process does. Only its imports are done beforehand, by one server per test process.

A command that the fork server cannot imitate is executed as usual: another program (`python -c` included, as
it may replace something before the first import), a terminal as a stream, a `preexec_fn`, or an environment
that the interpreter reads at its start (`PYTHON*`, `LC_*`). A test about imports, start-up time or memory
uses `subprocess` itself.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {
    str(Path(sys.executable).with_name("holdfast")): "holdfast.__main__:main",
    str(Path(sys.executable).with_name("git-mile")): "holdfast.faces.cli.git_mile:main",
}
SERVER = Path(__file__).with_name("fork_server.py")
AT_START = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "MALLOC", "COVERAGE")
"""Prefixes of variables that an interpreter reads at its start: with other values a new one is executed."""
WITHOUT_EFFECT = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
"""Of these, variables that change nothing a test can see; the fork server itself runs without them."""
spent_seconds = 0.0
"""CPU time of the forked processes that ended, which this process's own accounting does not include."""


class ForkServer:
    """The process that forks; made at its first use, ended with this process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(SERVER), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
                env={name: value for name, value in os.environ.items() if name not in WITHOUT_EFFECT},
            )
        self._socket = ours
        self._lock = threading.Lock()
        self.environment = at_start(os.environ)
        self.owner = os.getpid()

    def fork(self, order: dict[str, Any], descriptors: Sequence[int]) -> int:
        """Start a process with these descriptors; return its pid."""
        folder = os.memfd_create("order")
        try:
            os.write(folder, json.dumps(order).encode())
            os.lseek(folder, 0, os.SEEK_SET)
            rights = array.array("i", [folder, *descriptors])
            with self._lock:
                self._socket.sendmsg([b"fork"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                return int(self._socket.recv(64))
        finally:
            os.close(folder)

    def close(self) -> None:
        self._socket.close()
        if os.getpid() == self.owner:
            self._process.wait(10)


def at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that an interpreter reads when it starts."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(AT_START) and name not in WITHOUT_EFFECT
    }


@functools.cache
def fork_server(_owner: int) -> ForkServer:
    server = ForkServer()
    atexit.register(server.close)
    return server


def is_plain(stream: Any) -> bool:
    """Return whether a standard stream is one that the fork server's own streams can stand in for."""
    if stream is None:
        return False
    number = stream if isinstance(stream, int) else stream.fileno()
    return number < 0 or not os.isatty(number)


class Popen(subprocess.Popen[Any]):
    """A process of one of Holdfast's programs, forked where that is possible."""

    def __init__(self, args: Sequence[str | Path], **options: Any) -> None:
        self._entry = None
        self._status: int | None = None
        self._ended = threading.Lock()
        usual = {
            *("stdin", "stdout", "stderr", "cwd", "env", "text", "encoding", "errors", "bufsize"),
            *("start_new_session", "universal_newlines"),
        }
        command = [os.fsdecode(word) for word in args]
        if sys.platform == "linux" and options.keys() <= usual:
            self._entry = entry_of(command)
        streams = [options.get(name) for name in ("stdin", "stdout", "stderr")]
        if self._entry is not None and not (
            all(map(is_plain, streams[1:]))
            and (streams[0] is None or is_plain(streams[0]))
            and at_start(options.get("env") or os.environ) == fork_server(os.getpid()).environment
            and os.path.isdir(options.get("cwd") or ".")
        ):
            self._entry = None
        if self._entry is not None and streams[0] is None:
            options["stdin"] = subprocess.DEVNULL
        super().__init__(command, **options)

    def _execute_child(self, *given: Any) -> None:  # type: ignore[override]
        if self._entry is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        args, _, _, _, _, cwd, env = given[:7]
        child_in, our_in, our_out, child_out, our_error, child_error = given[10:16]
        ended, status = os.pipe()
        order = {
            "entry": self._entry,
            "arguments": args,
            "directory": os.path.abspath(cwd or os.getcwd()),
            "environment": dict(os.environ if env is None else env),
            "new_session": bool(given[21]),
        }
        try:
            self.pid = fork_server(os.getpid()).fork(order, [child_in, child_out, child_error, status])
        except BaseException:
            os.close(ended)
            raise
        finally:
            os.close(status)
            self._close_ends_of_the_child((child_in, our_in), (child_out, our_out), (child_error, our_error))
        self._status = ended
        self._child_created = True

    def _close_ends_of_the_child(self, *pairs: tuple[int, int]) -> None:
        """Close what the child has, as `subprocess` does; a descriptor that the caller passed stays open."""
        shared = getattr(self, "_devnull", None)
        for descriptor in {child for child, ours in pairs if -1 not in (child, ours)} - {shared}:
            os.close(descriptor)
        if shared is not None:
            os.close(shared)
        self._closed_child_pipe_fds = True

    def _internal_poll(self, *given: Any, **more: Any) -> int | None:
        if self._entry is None:
            return super()._internal_poll(*given, **more)  # type: ignore[misc,no-any-return]
        return self._await_status(0.0)

    def _wait(self, timeout: float | None) -> int:
        if self._entry is None:
            return super()._wait(timeout)  # type: ignore[misc,no-any-return]
        code = self._await_status(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        return code

    def _await_status(self, timeout: float | None) -> int | None:
        with self._ended:
            if self.returncode is None and self._status is not None:
                poll = select.poll()
                poll.register(self._status, select.POLLIN)
                if poll.poll(None if timeout is None else timeout * 1000):
                    self._read_status()
            return self.returncode

    def _read_status(self) -> None:
        global spent_seconds  # noqa: PLW0603
        assert self._status is not None
        answer = os.read(self._status, 100)
        os.close(self._status)
        self._status = None
        # The fork server is gone only when it was killed, with all it had started.
        code, seconds = json.loads(answer) if answer else (-signal.SIGKILL, 0.0)
        spent_seconds += seconds
        self.returncode = code


def run_at_once(commands: Sequence[Sequence[str | Path]], **options: Any) -> list[Any]:
    """Start all commands, then wait for the end of each, as `run` does; a failure leaves none running."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = []
    with contextlib.ExitStack() as stack:
        processes = []
        for command in commands:
            process = stack.enter_context(Popen(command, **pipes, **options))
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            texts = process.communicate(timeout=120)
            done.append(subprocess.CompletedProcess(process.args, process.returncode, *texts))
    return done


def entry_of(command: Sequence[str]) -> str | None:
    """Return what a command runs, as `module:function` or `module`; None for any other program."""
    if command[:2] == [sys.executable, "-m"] and len(command) > 2:
        return command[2]
    return PROGRAMS.get(command[0])


def run(
    command: Sequence[str | Path],
    *,
    input: Any = None,  # noqa: A002
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end, as `subprocess.run` does."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with Popen(command, **options) as process:
        try:
            output, errors = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, output, errors)
    if check:
        done.check_returncode()
    return done
