"""Named forms of a text parameter, each with the words that explain it to somebody who missed it.

What a parameter ends up in (a recipe of make, a line of TOML, a shell's command) decides what it may hold.
Patterns are matched as a whole and take time linear in the text.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

_PATTERN_MEMORY = 1 << 20
_RESERVED_WORDS = (
    "abstract alloc as async await become box break build case chan class const continue core crate debugger"
    " default defer delete deps do dyn else enum examples export extends extern fallthrough final fn for func"
    " function go goto if impl import in incremental instanceof interface internal let loop macro main map"
    " match mod move mut new null override package priv proc_macro pub range ref return select self static"
    " std struct super switch test this throw trait true try type typeof union unsafe unsized use var vendor"
    " virtual void where while with yield"
)
_OF_COMPILERS = frozenset(_RESERVED_WORDS.split())
_OF_PYTHON = frozenset(
    word.lower() for word in (*keyword.kwlist, *sys.stdlib_module_names, "pytest", "tests")
)


@dataclass(frozen=True)
class Format:
    """What a text must look like."""

    pattern: str
    words: str
    reserved: frozenset[str] = field(default=frozenset())

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII)

    def problem(self, text: str) -> str | None:
        """Return what is wrong with `text`, or None."""
        if self._compiled.fullmatch(text) is None:
            return f"must be {self.words}"
        if text.lower().replace("-", "_") in self.reserved:
            return "is a word that a compiler or the standard library keeps for itself; choose another"
        return None


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return a pattern that somebody else wrote, or raise `ValueError`; RE2 matches all in linear time."""
    import re2  # type: ignore[import-untyped]  # here, because only templates that bring a pattern need it

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error:
        raise ValueError("the pattern is not one that RE2 knows") from None


_PROJECT_NAME = "1 to 64 letters, digits, hyphens and underscores, beginning with a letter"

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "project-name": Format(r"[A-Za-z][A-Za-z0-9_-]{0,63}", _PROJECT_NAME, _OF_COMPILERS),
        "python-project-name": Format(
            r"[A-Za-z](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?",
            f"{_PROJECT_NAME} and ending with a letter or digit",
            _OF_COMPILERS | _OF_PYTHON,
        ),
        "identifier": Format(
            r"[A-Za-z_][A-Za-z0-9_]{0,63}",
            "a name of letters, digits and underscores",
            frozenset(word.lower() for word in keyword.kwlist),
        ),
        "version": Format(r"[0-9]+(?:\.[0-9]+){0,3}", "a version of numbers and dots, such as 1.75"),
        "file-name": Format(
            r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}",
            "the name of a file: letters, digits, dots, hyphens and underscores, no slash",
        ),
        "word": Format(r"[A-Za-z0-9_.+-]{1,100}", "one word of letters, digits and . _ + -"),
        "feature": Format(r"[A-Za-z0-9_][A-Za-z0-9_+./?-]{0,99}", "the name of a feature"),
        "permission": Format(
            r"--?[A-Za-z][A-Za-z-]{0,39}(?:=[A-Za-z0-9_./:,-]{1,200})?",
            "an option such as --allow-read or --allow-net=example.org",
        ),
        "arguments": Format(
            r"[A-Za-z0-9 _./:=,@%+-]{1,500}",
            "arguments without quotes, $ and other signs that a shell or make acts on",
        ),
        "module-path": Format(
            r"[A-Za-z0-9_][A-Za-z0-9_.~-]{0,99}(?:/[A-Za-z0-9_.~-]{1,100}){0,9}",
            "a module path such as example.org/team/project",
        ),
        "year": Format(r"[0-9]{4}(?:-[0-9]{4})?", "a year or two with a hyphen, such as 2024-2026"),
    }
)
