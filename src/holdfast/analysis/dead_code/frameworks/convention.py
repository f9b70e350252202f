"""A convention: names, decorators, bases and files by which a framework or a language finds what it calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Convention:
    """What is called from outside in some languages; of decorators and bases the last word counts."""

    name: str
    languages: frozenset[str]
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
    files: tuple[tuple[str, str], ...] = field(default=())
    """Patterns of paths, and of the names in such files that are alive; an empty one is all public names."""


def languages(*names: str) -> frozenset[str]:
    """Return names of languages as a set."""
    return frozenset(names)


def words(text: str) -> frozenset[str]:
    """Return the words of a text, which is how the tables are written."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Conventions:
    """Everything that holds for one language."""

    decorators: frozenset[str]
    silent_decorators: frozenset[str]
    names: frozenset[str]
    prefixes: tuple[str, ...]
    members: frozenset[str]
    hooks: frozenset[str]
    hook_prefixes: tuple[str, ...]
    bases: frozenset[str]
    known_bases: frozenset[str]
    silent_bases: frozenset[str]
    files: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]

    @classmethod
    def joined(cls, language: str, conventions: tuple[Convention, ...]) -> Conventions:
        """Return what holds for a language, out of all conventions."""
        held = [one for one in conventions if language in one.languages]

        def union(part: str) -> frozenset[str]:
            return frozenset[str]().union(*(getattr(one, part) for one in held))

        return cls(
            decorators=union("decorators"),
            silent_decorators=union("silent_decorators"),
            names=union("names"),
            prefixes=tuple(prefix for one in held for prefix in one.prefixes),
            members=union("members"),
            hooks=union("hooks"),
            hook_prefixes=tuple(prefix for one in held for prefix in one.hook_prefixes),
            bases=union("bases"),
            known_bases=union("known_bases"),
            silent_bases=union("silent_bases"),
            files=tuple((re.compile(file), re.compile(name)) for one in held for file, name in one.files),
        )

    def alive_in(self, path: str) -> tuple[re.Pattern[str], ...]:
        """Return the patterns of names that are alive in a file because of where it is."""
        return tuple(names for files, names in self.files if files.search(path))
