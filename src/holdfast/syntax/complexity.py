"""Cyclomatic complexity: one, and one more for every decision (McCabe).

A decision is a condition, a loop, a case other than the default, a handler of exceptions, a conditional
expression, a short-circuit operator; in Python also an `assert` and each part of a comprehension that
loops or filters. The patterns stand in the tables of `languages/`. Functions without a name count towards the
function around them; functions with one are counted for themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Language
from holdfast.syntax.parse import Parsed, captures
from holdfast.syntax.record import FunctionMetrics
from holdfast.syntax.symbols import Declared, Symbol, symbols

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class FunctionComplexity:
    """A function and the number of ways through it."""

    symbol: Symbol
    cyclomatic: int
    decides_at: tuple[int, ...] = ()
    """The lines of its decisions, each once."""


@cache
def _patterns(language: Language) -> str:
    return "\n".join(
        pattern if "@decision" in pattern else _captured(pattern) for pattern in language.decisions
    )


def _captured(pattern: str) -> str:
    """Capture the whole of a pattern; one with a condition is wrapped already."""
    if pattern.startswith("(("):
        inner = pattern[1:].rsplit(" (#", 1)
        return f"({inner[0]} @decision (#{inner[1]}"
    return f"{pattern} @decision"


def cyclomatic(parsed: Parsed) -> tuple[FunctionComplexity, ...]:
    """Return the complexity of every function of a file, in the order of the text."""
    functions = [symbol for symbol in symbols(parsed) if symbol.is_function]
    decisions = captures(parsed, _patterns(parsed.language)).get("decision", [])
    places = sorted({(node.start_byte, node.end_byte, node.type, node.start_point[0]) for node in decisions})
    counted: dict[int, list[int]] = defaultdict(list)
    open_: list[int] = []
    waiting = 0
    for start, _end, _type, row in places:
        while waiting < len(functions) and functions[waiting].span[0] <= start:
            open_.append(waiting)
            waiting += 1
        while open_ and functions[open_[-1]].span[1] <= start:
            open_.pop()
        if open_:
            counted[open_[-1]].append(row + 1)
    return tuple(
        FunctionComplexity(symbol, 1 + len(counted[index]), tuple(dict.fromkeys(counted[index])))
        for index, symbol in enumerate(functions)
    )


def metric_patterns(_language: Language) -> str:
    """Return the patterns of which `function_metrics` is given what they capture."""
    return ""


def function_metrics(
    _parsed: Parsed, _declared: Sequence[Declared], _found: Mapping[str, list[Node]]
) -> tuple[FunctionMetrics, ...]:
    """Return what was counted in each function of a file, in the order of the text."""
    return ()
