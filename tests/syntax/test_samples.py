"""Every language on a source written for the purpose, its symbols and decisions counted by hand.

Beside each sample stands what is expected of it: lines, kind, path and, of a function, its complexity. The
remarks in the samples name the decisions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.syntax.complexity import measure_functions
from holdfast.syntax.facts import innermost
from holdfast.syntax.languages import LANGUAGES, language_of
from holdfast.syntax.parse import parse
from holdfast.syntax.symbols import symbols

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.suffix != ".expected")


def described(path: Path) -> list[str]:
    language = language_of(path.name)
    assert language is not None
    parsed = parse(language, path.read_text(encoding="utf-8"))
    counted = {
        (each.start_line, each.metrics.name): each.metrics.extended for each in measure_functions(parsed)
    }
    return [
        f"{symbol.start_line}-{symbol.end_line} {symbol.kind} {' > '.join(symbol.path)}"
        + (f" = {counted.get((symbol.start_line, '.'.join(symbol.path)), 1)}" if symbol.is_function else "")
        for symbol in symbols(parsed)
    ]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_symbols_and_complexity_are_those_counted_by_hand(path):
    expected = path.with_name(path.name + ".expected").read_text(encoding="utf-8").splitlines()
    assert described(path) == expected


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_samples_are_free_of_errors(path):
    parsed = parse(language_of(path.name), path.read_text(encoding="utf-8"))
    assert parsed.problems == ()


def test_every_language_has_a_sample():
    assert {language_of(path.name) for path in SAMPLES} == set(LANGUAGES)
    assert len(LANGUAGES) == 15


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_innermost_symbol_of_a_line_is_the_shortest_that_holds_it(path):
    text = path.read_text(encoding="utf-8")
    found = symbols(parse(language_of(path.name), text))
    for line in range(1, text.count("\n") + 2):
        holding = [symbol for symbol in found if symbol.start_line <= line <= symbol.end_line]
        inner = innermost(found, line)
        if not holding:
            assert inner is None
            continue
        assert inner in holding
        shortest = min(symbol.end_line - symbol.start_line for symbol in holding)
        assert inner.end_line - inner.start_line == shortest
