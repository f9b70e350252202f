"""The server behind `tests.forked`: imports Holdfast, then forks once for each order it receives.

Orders come through a socket of packets, each with the descriptors of a file that holds the order, of the
three standard streams and of a pipe for the exit status. A child leaves `serve` and becomes the program.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

LIBRARIES = ("numpy", "re2")
"""Libraries that commands import where they need them."""


def main() -> None:
    """Serve until the socket's other end is closed; in a child, run the program that was ordered."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    sys.path[0] = os.path.dirname(sys.executable)  # not this folder, whose packages would shadow others
    preload()
    program = serve(connection)
    if program is not None:
        finish(program)


def preload() -> None:
    """Import what the programs use; what is not there any more costs only time."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process that forks has one thread
    package = importlib.import_module("holdfast")
    names = [found.name for found in pkgutil.walk_packages(package.__path__, "holdfast.")]
    for name in [*names, *LIBRARIES]:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    gc.collect()
    gc.freeze()


def serve(connection: socket.socket) -> Callable[[], None] | None:
    """Fork for each order, and report how each child ended; return what a child has to run."""
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # Ctrl-C in a terminal reaches the whole group; the tests end this process by closing the socket.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    statuses: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([connection, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            report_ended(statuses)
        if connection not in ready:
            continue
        found = received(connection)
        if found is None:
            return None
        order, descriptors = found
        pid = os.fork()
        if pid == 0:
            for descriptor in (woken, wake, *statuses.values(), descriptors.pop()):
                os.close(descriptor)
            connection.close()
            return become(order, descriptors)
        statuses[pid] = descriptors.pop()
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(str(pid).encode())


def received(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Return the next order with its descriptors, or None at the end."""
    numbers = array.array("i")
    data, ancillary, _, _ = connection.recvmsg(16, socket.CMSG_SPACE(5 * numbers.itemsize))
    if not data:
        return None
    for _, _, content in ancillary:
        numbers.frombytes(content)
    with open(numbers[0], encoding="utf-8") as file:
        return json.load(file), list(numbers[1:])


def report_ended(statuses: dict[int, int]) -> None:
    """Write the exit status and CPU seconds of each child that ended into its pipe."""
    while statuses:
        pid, status, used = os.wait4(-1, os.WNOHANG)
        if pid == 0:
            return
        answer = [os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime]
        pipe = statuses.pop(pid)
        try:
            os.write(pipe, json.dumps(answer).encode())
        except BrokenPipeError:
            pass
        os.close(pipe)


def become(order: dict[str, Any], streams: list[int]) -> Callable[[], None]:
    """Take on the streams, directory, environment and arguments of an order; return the program to run."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["new_session"]:
        os.setsid()
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    for descriptor in streams:
        os.close(descriptor)
    os.chdir(order["directory"])
    os.environ.clear()
    os.environ.update(order["environment"])
    arguments, entry = order["arguments"], order["entry"]
    module, _, function = entry.partition(":")
    main_module = types.ModuleType("__main__")
    sys.modules["__main__"] = main_module
    if not function:
        sys.path[0] = order["directory"]
        sys.argv = ["-m", *arguments[3:]]
        return lambda: run_module(module)
    main_module.__file__ = arguments[0]
    sys.path[0] = os.path.dirname(arguments[0])
    sys.argv = list(arguments)
    return lambda: sys.exit(getattr(importlib.import_module(module), function)())


def finish(program: Callable[[], None]) -> None:
    """Run a program and end the process as the interpreter does, except for taking every module apart."""
    status: Any = 0
    try:
        program()
    except SystemExit as ending:
        status = ending.code
        if not isinstance(status, int | None):
            print(status, file=sys.stderr)
            status = 1
    except BaseException as failure:
        sys.excepthook(type(failure), failure, failure.__traceback__)
        if isinstance(failure, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads that are no daemons
    atexit._run_exitfuncs()  # `os._exit` below runs none, and there is no public way to
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        status = status or 120
    os._exit((status or 0) & 0xFF)


def run_module(name: str) -> None:
    """Run a module as `python -m` does, though it may have been imported before."""
    for loaded in (name, f"{name}.__main__"):
        if not hasattr(sys.modules.get(loaded), "__path__"):
            sys.modules.pop(loaded, None)
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
