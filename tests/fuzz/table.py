"""The table of parsers, and how bytes get into one as they would in earnest.

What people type may hold half a character; what a file holds was decoded before.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files import foreign_document
from holdfast.storage.git.repository import Repository

SAMPLES = Path(__file__).parents[1] / "syntax" / "samples"
Read = Callable[[bytes], object]
Errors = tuple[type[Exception], ...]


@dataclass(frozen=True)
class Parser:
    """One reader of foreign bytes."""

    module: str
    """Where it is, below the package."""
    read: Read
    seeds: tuple[bytes, ...]
    errors: Errors
    cost: int = 1
    """How many cheap ones it is worth in time."""


PARSERS: dict[str, Parser] = {}
NOTHING: Errors = ()
OURS: Errors = (HoldfastError,)
FOREIGN: Errors = (foreign_document.UnreadableDocument,)


def add(name: str, module: str, read: Read, errors: Errors, *seeds: str | bytes, cost: int = 1) -> None:
    data = tuple(seed.encode() if isinstance(seed, str) else seed for seed in seeds)
    PARSERS[name] = Parser(module, read, data, errors, cost)


def typed(read: Callable[[str], object]) -> Read:
    """What a person or a client gives: any text at all."""
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


def held(read: Callable[[str], object]) -> Read:
    """What a file holds."""
    return lambda data: read(data.decode("utf-8", "replace"))


@cache
def scratch() -> Repository:
    """A repository whose files are written anew for each example."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    place = folder / "repository"
    (place / ".git" / "objects").mkdir(parents=True)
    (place / ".git" / "refs").mkdir()
    (place / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    found = Repository.at(place)
    found.ensure_store()
    return found


def in_file(place: Callable[[Repository], str], read: Callable[[Repository], object]) -> Read:
    def run(data: bytes) -> object:
        path = place(scratch())
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        return read(scratch())

    return run
