"""Naming conventions by which frameworks and languages find the code they call.

pytest, for example, calls every `test_…` function in `test_….py`, although no code refers to it. The
conventions are in `conventions.toml`; those that apply to a language are merged into one `Convention`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import files as shipped
from itertools import chain
from typing import Any

from holdfast.storage.files.foreign_document import parse_toml


@dataclass(frozen=True)
class Convention:
    """Names by which outside code finds definitions; decorators and bases match by their last word."""

    decorators: frozenset[str] = frozenset()
    """Decorators that register a definition, which is then alive."""
    silent_decorators: frozenset[str] = frozenset()
    """Decorators that register nothing."""
    names: frozenset[str] = frozenset()
    """Top-level functions, classes and variables that are looked up by name."""
    prefixes: tuple[str, ...] = ()
    """Prefixes of such names."""
    members: frozenset[str] = frozenset()
    """Members that the language or a common library calls on any class."""
    hooks: frozenset[str] = frozenset()
    """Members that the base class calls, in classes that have one."""
    hook_prefixes: tuple[str, ...] = ()
    """Prefixes of such members."""
    bases: frozenset[str] = frozenset()
    """Bases whose subclasses a framework finds."""
    known_bases: frozenset[str] = frozenset()
    """Bases whose usual callbacks are listed in `hooks`."""
    silent_bases: frozenset[str] = frozenset()
    """Bases that call no members a subclass adds."""
    files: tuple[tuple[str, str], ...] = ()
    """Patterns of paths, each with one of the names that are alive in these files: "" for all public ones."""

    @cached_property
    def _files(self) -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
        return [(re.compile(file), re.compile(name)) for file, name in self.files]

    def alive_in(self, path: str) -> list[re.Pattern[str]]:
        """Return the patterns of the names that are alive in a file because of its path."""
        return [names for files, names in self._files if files.search(path)]


@cache
def conventions(language: str) -> Convention:
    """Return the merged conventions of a language."""
    text = shipped("holdfast.analysis.dead_code").joinpath("conventions.toml").read_text("utf-8")
    tables = [table for table in parse_toml(text)["convention"] if language in table["languages"].split()]
    merged = {}
    for field in fields(Convention):
        values = (table.get(field.name, "") for table in tables)
        lists = (value.split() if isinstance(value, str) else map(tuple, value) for value in values)
        collection: Any = type(field.default)  # tuple or frozenset
        merged[field.name] = collection(chain.from_iterable(lists))
    return Convention(**merged)
