"""The session of docs/tutorial.md: its commands, run in one shell in an empty folder, and what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "\x1e"
NEW_EACH_TIME = re.compile(
    r"\b(?:c|gm|m)_[0-9a-f]{12,}\b|\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?\b|\b\d\d:\d\d(?::\d\d)?\b"
    r"|\((?:compiled core|Python reader)\)"
    r"|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|\d+ms\b"
)


class Step(NamedTuple):
    """A command as it is typed, and what it prints."""

    command: str
    output: str


def steps_of(block: str) -> list[Step]:
    """Return the commands of a block with the output that follows each."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert parts[0] == "", "a block begins with a command"
    found = []
    for part in parts[1:]:
        first, *rest = part.splitlines(keepends=True)
        more = [line for line in rest if line.startswith("> ")]
        assert rest[: len(more)] == more
        found.append(Step(first + "".join(more), "".join(rest[len(more) :])))
    return found


def comparable(text: str) -> str:
    """Return text with the same word for everything that depends on the run or the installation."""
    return NEW_EACH_TIME.sub("(new)", text)


class Shell:
    """A shell in an empty folder of a person whom git knows, with Holdfast on its search path."""

    def __init__(self, folder: Path) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        places = {
            "HOME": str(folder), "PATH": f"{Path(sys.executable).parent}:{kept['PATH']}", "COLUMNS": "100",
            "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        (folder / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
        )
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=kept | places,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def run(self, command: str) -> str:
        """Return what a command prints, on both streams."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        typed = re.sub(r"^> ", "", command, flags=re.MULTILINE)
        self._bash.stdin.write(f"{typed}\nprintf '{END}\\n'\n")
        self._bash.stdin.flush()
        printed = ""
        while not printed.endswith(f"{END}\n"):
            line = self._bash.stdout.readline()
            assert line, f"the shell ended in: {command}"
            printed += line
        return printed.removesuffix(f"{END}\n")

    def close(self) -> None:
        """End the shell."""
        self._bash.communicate()


def played(folder: Path) -> list[list[Step]]:
    """Run the commands of every block and return them with what they printed just now."""
    shell = Shell(folder)
    try:
        blocks = BLOCK.findall(TUTORIAL.read_text(encoding="utf-8"))
        return [[Step(step.command, shell.run(step.command)) for step in steps_of(block)] for block in blocks]
    finally:
        shell.close()


def rewritten(blocks: list[list[Step]]) -> str:
    """Return the page with what was printed just now."""
    printed = iter(blocks)

    def block(_match: re.Match[str]) -> str:
        shown = "".join(f"$ {step.command}{step.output}" for step in next(printed))
        return f"```console\n{shown}```"

    return BLOCK.sub(block, TUTORIAL.read_text(encoding="utf-8"))
