"""Metrics of each function: cyclomatic (plain and extended), cognitive and Halstead complexity, and sizes.

Contract: every function with a body has one row, in source order. An anonymous function counts towards the
enclosing function. It has its own row if it has branches and there is no enclosing function, or if
`flow.excludes_inner_functions` is set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.control_flow import FunctionCounter, FunctionTally, flow_patterns
from holdfast.syntax.halstead import Halstead, count_halstead, split_tokens
from holdfast.syntax.parameters import parameter_count
from holdfast.syntax.parse import Parsed, captures
from holdfast.syntax.record import FunctionMetrics
from holdfast.syntax.recursion import Caller, Recursion
from holdfast.syntax.symbols import DeclaredSymbol, find_declarations, last_line, symbol_patterns

if TYPE_CHECKING:
    from tree_sitter import Node


def function_metrics(
    parsed: Parsed,
    declared: Sequence[DeclaredSymbol],
    found: Mapping[str, list[Node]],
    code_lines: Sequence[int],
) -> tuple[FunctionMetrics, ...]:
    """Return the metrics of each function in source order; `code_lines` is from `count_code_lines`."""
    return tuple(_metric_rows(parsed, FunctionCounter(parsed, declared, found).run(), code_lines))


def _metric_rows(
    parsed: Parsed, tallies: Sequence[FunctionTally], code_lines: Sequence[int]
) -> Iterator[FunctionMetrics]:
    flow, source = parsed.language.flow, parsed.source
    enclosing = list(_enclosing_indexes(tallies))
    inner_spans: list[list[tuple[int, int]]] = [[] for _ in tallies]
    for tally, outer in zip(tallies, enclosing, strict=True):
        if outer is not None:
            inner_spans[outer].append((tally.node.start_byte, tally.end))
    tokens = [
        split_tokens(flow, _own_text(source, tally, spans))
        for tally, spans in zip(tallies, inner_spans, strict=True)
    ]
    distinct = [set(own) for own in tokens]
    counts = [count_halstead(flow, own, own_set) for own, own_set in zip(tokens, distinct, strict=True)]
    for index, outer in reversed(list(enumerate(enclosing))):
        if outer is not None and not tallies[index].is_named:
            distinct[outer] |= distinct[
                index
            ]  # the calls of an anonymous function count for the enclosing one
    callers = _callers(tallies, distinct)
    recursive = Recursion(source, callers, flow.has_implicit_receiver).recursive_functions()
    for tally, halstead in zip(tallies, counts, strict=True):
        yield _metric_row(parsed, tally, code_lines, ".".join(tally.path) in recursive, halstead)


def _callers(tallies: Sequence[FunctionTally], tokens: Sequence[set[bytes]]) -> Iterator[Caller]:
    """Yield the functions that a call can refer to: those with a name that no other function has."""
    path_counts = Counter(tally.path for tally in tallies)
    for tally, own in zip(tallies, tokens, strict=True):
        name = tally.path[-1].rpartition(".")[2].encode()
        if name and tally.is_named and path_counts[tally.path] == 1 and tally.kind != "Constructor":
            yield Caller(tally.node, tally.path, name, tally.kind == "Method", own)


def _metric_row(
    parsed: Parsed, tally: FunctionTally, code_lines: Sequence[int], is_recursive: bool, halstead: Halstead
) -> FunctionMetrics:
    node = tally.node
    first, last = node.start_point[0] + 1, last_line(tally.function_node)
    return FunctionMetrics(
        ".".join(tally.path),
        first,
        last,
        parameter_count(node, parsed.language),
        code_lines[last] - code_lines[first - 1],
        tally.branches,
        tally.extended,
        tally.cognitive + is_recursive,
        is_recursive,
        tally.nesting,
        *halstead,
    )


def count_code_lines(source: bytes, comments: Sequence[Node] = ()) -> list[int]:
    """Return the number of lines of code before each line and, as the last item, in total.

    Blank lines and lines with only comments do not count.
    """
    code = bytearray(source)
    for node in comments:
        start, end = node.start_byte, node.end_byte
        code[start:end] = b"\n".join(b" " * len(line) for line in source[start:end].split(b"\n"))
    has_code = (bool(line.strip()) for line in bytes(code).split(b"\n"))
    return list(accumulate(has_code, initial=0))


def _enclosing_indexes(tallies: Sequence[FunctionTally]) -> Iterator[int | None]:
    """Yield, for each function, the index of the function directly around it."""
    open_: list[int] = []
    for index, tally in enumerate(tallies):
        while open_ and tallies[open_[-1]].end <= tally.node.start_byte:
            open_.pop()
        yield open_[-1] if open_ else None
        open_.append(index)


def _own_text(source: bytes, tally: FunctionTally, inner: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """Yield the parts of a function's text that are not in inner functions."""
    position = tally.node.start_byte
    for start, end in inner:
        yield source[position:start]
        position = end
    yield source[position : tally.end]


class FunctionDecisions(NamedTuple):
    """The metrics of a function, its first line with decorators, and the lines of its decisions."""

    metrics: FunctionMetrics
    start_line: int
    decision_lines: tuple[int, ...]
    """The lines of what extended complexity counts, each line once."""


def measure_functions(parsed: Parsed) -> list[FunctionDecisions]:
    """Return the metrics of each function of a file, in source order."""
    language = parsed.language
    comments = "\n".join(f"({kind}) @comment" for kind in sorted(language.comments))
    found = captures(parsed, "\n".join((symbol_patterns(language), flow_patterns(language), comments)))
    declared = find_declarations(parsed, found)
    first_lines = {symbol.node.id: symbol.outer.start_point[0] + 1 for symbol in declared}
    tallies = FunctionCounter(parsed, declared, found).run()
    code_lines = count_code_lines(parsed.source, found.get("comment", ()))
    functions = []
    for tally, row in zip(tallies, _metric_rows(parsed, tallies, code_lines), strict=True):
        start_line = first_lines.get(tally.node.id, row.line)
        functions.append(FunctionDecisions(row, start_line, _decision_lines(parsed.source, tally.decisions)))
    return functions


def _decision_lines(source: bytes, decisions: Sequence[int]) -> tuple[int, ...]:
    offsets = (offset for offset in sorted(decisions) if offset >= 0)
    return tuple(dict.fromkeys(source.count(b"\n", 0, offset) + 1 for offset in offsets))
