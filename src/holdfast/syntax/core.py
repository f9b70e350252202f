"""The compiled core, `holdfast._core`, which reads files like `reader` and `lexer` do, but faster.

It is built from `core/` by `scripts/core`, and is never required.

Contract: the tables and regular expressions that it uses are those of this package, passed as data once.
"""

from __future__ import annotations

import re
from functools import cache
from types import ModuleType
from typing import Any

from holdfast.syntax import (
    calls,
    control_flow,
    definitions,
    halstead,
    names,
    parameters,
    reader,
    recursion,
    symbols,
    unused,
    uses,
)
from holdfast.syntax.languages import LANGUAGES, Language

_MODULES = (calls, control_flow, definitions, names, parameters, recursion, symbols, unused, uses)
"""The modules with regular expressions that the core uses as `module.name`."""


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
    return (
        language,
        queries,
        {"halstead.tokens": halstead.token_pattern(flow.string_styles, flow.comment_style)},
    )


@cache
def tables() -> Any:
    """Return the tables of all languages for the core, built at first use."""
    from holdfast import _core

    patterns: dict[str, re.Pattern[Any]] = {}
    for module in _MODULES:
        patterns |= _patterns(module)
    return _core.Tables(list(map(_language_table, LANGUAGES)), patterns)
