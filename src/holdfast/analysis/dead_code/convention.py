"""Conventions: names, decorators, bases and files by which frameworks and languages find what they call.

`conventions.toml` has them, each for some languages; what holds for a language is all of its own together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import files as shipped
from itertools import chain
from typing import Any

from holdfast.storage.files.foreign_document import toml_of


@dataclass(frozen=True)
class Convention:
    """What is called from outside; of decorators and bases the last word counts."""

    decorators: frozenset[str] = frozenset()
    """What they decorate is registered somewhere, and so alive."""
    silent_decorators: frozenset[str] = frozenset()
    """They change what they decorate and register nothing."""
    names: frozenset[str] = frozenset()
    """Functions, classes and variables of a file that are called or read by their names."""
    prefixes: tuple[str, ...] = ()
    members: frozenset[str] = frozenset()
    """Members of any class that the language or everybody's library calls."""
    hooks: frozenset[str] = frozenset()
    """Members that the base of a class calls, where a class has one."""
    hook_prefixes: tuple[str, ...] = ()
    bases: frozenset[str] = frozenset()
    """Classes are found by being derived from these."""
    known_bases: frozenset[str] = frozenset()
    """Of these `hooks` has what they usually call."""
    silent_bases: frozenset[str] = frozenset()
    """They call none of the members that a class adds to them."""
    files: tuple[tuple[str, str], ...] = ()
    """Patterns of paths, and of the names in such files that are alive; an empty one is all public names."""

    @cached_property
    def _files(self) -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
        return [(re.compile(file), re.compile(name)) for file, name in self.files]

    def alive_in(self, path: str) -> list[re.Pattern[str]]:
        """Return the patterns of names that are alive in a file because of where it is."""
        return [names for files, names in self._files if files.search(path)]


@cache
def conventions(language: str) -> Convention:
    """Return what holds in a language."""
    text = shipped("holdfast.analysis.dead_code").joinpath("conventions.toml").read_text("utf-8")
    held = [one for one in toml_of(text)["convention"] if language in one["languages"].split()]
    parts = {}
    for part in fields(Convention):
        values = (one.get(part.name, "") for one in held)
        given = (value.split() if isinstance(value, str) else map(tuple, value) for value in values)
        kind: Any = type(part.default)
        parts[part.name] = kind(chain.from_iterable(given))
    return Convention(**parts)
