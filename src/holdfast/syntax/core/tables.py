"""The tables of the languages and the regular expressions of this package, as the compiled core takes them.

Contract: the core has no tables and no expressions of its own. What it scans by hand instead, as Halstead's
tokens and the words of a text, is compared with the Python reader by the tests.
"""

from __future__ import annotations

import re
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from holdfast.syntax import lexer, reader, recursion, symbols
from holdfast.syntax.languages import LANGUAGES, Language
from holdfast.syntax.literals import LITERALS

if TYPE_CHECKING:
    from holdfast._core import Tables

_MODULES = (recursion, symbols)
"""The modules with regular expressions that the core uses as `module.name`."""
_SCANNED = "regex"
"""The literals that the core scans without an expression; PCRE2 would take this one for too large."""


def _patterns(module: ModuleType) -> dict[str, re.Pattern[Any]]:
    """Return the expressions of a module: `_WORDS` of `recursion` is `recursion.words`."""
    prefix = module.__name__.rpartition(".")[2]
    return {
        f"{prefix}.{name.strip('_').lower()}": value
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }


def _language_table(language: Language) -> tuple[Language, dict[str, str], dict[str, re.Pattern[bytes]]]:
    """Return a language with its queries and its own expressions."""
    queries = {
        "metrics": reader.record_patterns(language, with_names=False),
        "all": reader.record_patterns(language, with_names=True),
    }
    flow = language.flow
    literals = [LITERALS[name] for name in flow.string_styles if name != _SCANNED]
    return (
        language,
        queries,
        {
            # Where there is no literal or import it matches the empty text, so that the search ends there.
            "lexer.literals": re.compile(b"|".join((*literals, b"")), re.MULTILINE),
            "lexer.imports": re.compile(lexer.IMPORTS[flow.import_style] + b"|"),
        },
    )


@cache
def tables() -> Tables:
    """Return the tables of all languages for the core, built at first use."""
    from holdfast import _core

    patterns: dict[str, re.Pattern[Any]] = {}
    for module in _MODULES:
        patterns |= _patterns(module)
    return _core.Tables(list(map(_language_table, LANGUAGES)), patterns)
