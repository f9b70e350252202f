"""The numbered requirements, and the tests that claim to prove them.

Claims are read from the text of the test files, not from a run, so that they are complete whatever
part of the tests is selected.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
MANIFEST = TESTS / "spec" / "requirements.toml"


@dataclass(frozen=True)
class Requirement:
    """One thing a specification or a promise asks for."""

    id: str
    text: str
    later: str | None = None
    diverges: str | None = None

    @property
    def family(self) -> str:
        return self.id.rpartition("-")[0]


@dataclass(frozen=True)
class Claim:
    """One test that says which requirement it proves."""

    id: str
    test: str


class UnreadableClaim(Exception):
    """A marker whose arguments are not plain strings, or that marks something other than a test."""


def requirements(path: Path = MANIFEST) -> list[Requirement]:
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["requirement"]
    return [Requirement(**entry) for entry in entries]


def claims(folder: Path = TESTS) -> list[Claim]:
    return [claim for path in sorted(folder.rglob("test_*.py")) for claim in _claims_of(path, folder)]


def _claims_of(path: Path, folder: Path) -> Iterator[Claim]:
    module = ast.parse(path.read_text(encoding="utf-8"))
    for statement in module.body:
        where = f"{path.relative_to(folder).as_posix()}::{getattr(statement, 'name', '')}"
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.requirement":
                yield from _claims_in(node, statement, where.removesuffix("::"))


def _claims_in(marker: ast.Call, statement: ast.stmt, where: str) -> Iterator[Claim]:
    name = getattr(statement, "name", None)
    if name is not None and not name.startswith(("test", "Test")):
        raise UnreadableClaim(f"{where}:{marker.lineno} marks something that is not a test")
    for argument in marker.args:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            raise UnreadableClaim(f"{where}:{marker.lineno} must name requirements as plain strings")
        yield Claim(argument.value, where)
