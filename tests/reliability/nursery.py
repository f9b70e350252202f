"""Processes that start in a moment: forked from one that has already imported what they need."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

_NURSERY = """
import ast, importlib, json, os, signal, sys
program = sys.argv[1]
for node in ast.walk(ast.parse(program)):
    for name in [alias.name for alias in node.names] if isinstance(node, ast.Import) else ():
        importlib.import_module(name)
    if isinstance(node, ast.ImportFrom):
        importlib.import_module(node.module)
code = compile(program, "<writer>", "exec")
for line in sys.stdin:
    order = json.loads(line)
    if "kill" in order:
        os.kill(order["kill"], signal.SIGKILL)
        os.waitpid(order["kill"], 0)
        print("killed", flush=True)
        continue
    child = os.fork()
    if child:
        print(child, flush=True)
        continue
    os.setpgid(0, 0)
    for number, path in enumerate((os.devnull, order["output"], order["complaint"])):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), number)
    sys.argv = ["-c", *order["arguments"]]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    try:
        exec(code, {"__name__": "__main__"})
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stderr.flush()
    os._exit(1)
"""


class Writer(Protocol):
    """A process that prints an acknowledgement for every durable write, until it is killed."""

    def pause(self) -> None: ...
    def kill(self) -> None: ...
    def output(self) -> str: ...
    def complaint(self) -> str: ...


Start = Callable[[list[str]], Writer]


@contextmanager
def quick_starts() -> Iterator[Start]:
    """Yield what starts writers: quickly where they are Python programs given as text, else as usual."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        nurseries: dict[str, _Nursery] = {}

        def start(command: list[str]) -> Writer:
            if command[:2] != [sys.executable, "-c"]:
                return _Process(command, Path(tempfile.mkdtemp(dir=folder)))
            program = command[2]
            if program not in nurseries:
                nurseries[program] = _Nursery(program, Path(tempfile.mkdtemp(dir=folder)))
                stack.callback(nurseries[program].close)
            return nurseries[program].start(command[3:])

        yield start


class _Nursery:
    def __init__(self, program: str, folder: Path) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", _NURSERY, program]
        self._folder = folder
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self._number = 0

    def start(self, arguments: list[str]) -> Writer:
        self._number += 1
        writer = _Child(self, self._folder / f"{self._number}")
        writer.pid = int(self.ask({**writer.files(), "arguments": arguments}))
        return writer

    def ask(self, order: dict[str, object]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        assert self._process.stdout is not None
        self._process.communicate()


class _Child:
    pid = 0

    def __init__(self, nursery: _Nursery, path: Path) -> None:
        self._nursery = nursery
        self._output, self._complaint = path.with_suffix(".out"), path.with_suffix(".err")

    def files(self) -> dict[str, object]:
        return {"output": str(self._output), "complaint": str(self._complaint)}

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def kill(self) -> None:
        assert self._nursery.ask({"kill": self.pid}) == "killed"

    def output(self) -> str:
        return self._output.read_text() if self._output.exists() else ""

    def complaint(self) -> str:
        return self._complaint.read_text() if self._complaint.exists() else ""


class _Process:
    def __init__(self, command: list[str], folder: Path) -> None:
        self._output, self._complaint = folder / "out", folder / "err"
        with self._output.open("wb") as output, self._complaint.open("wb") as complaint:
            self._process = subprocess.Popen(command, stdout=output, stderr=complaint)

    def pause(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def output(self) -> str:
        return self._output.read_text()

    def complaint(self) -> str:
        return self._complaint.read_text()
