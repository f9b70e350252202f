"""Metrics of each function: cyclomatic (plain and extended), cognitive and Halstead complexity, and sizes.

The tables in `languages/` capture nodes under these names:

- `if`, `loop`, `catch`: a branch, and for cognitive complexity a break in the flow. `elif`, `case`: a branch.
  `default`: subtracts the branch of a case that always matches. `switch`: a break in the flow; its cases are
  the branches. `else`, `jump`: adds one to cognitive complexity at any nesting. `ternary`, `extra`, `logic`:
  count in extended cyclomatic complexity only; sequences of `logic` also add to the cognitive one. `nest`,
  `inside`: raises the nesting level, of the node itself too or only of its content. `opaque`: its content
  does not count in extended complexity (radon treats `assert` so).
- `lambda`: an anonymous function. `unit`: code that runs without a declared name, such as an accessor.
  `class`: nesting restarts at zero.

Contract: every function with a body has one row, in source order. An anonymous function counts towards the
enclosing one; it has its own row if it has branches and there is no enclosing one, or `flow.alone` is set.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.cognitive import only_returns, operator, sequences
from holdfast.syntax.halstead import Halstead, halstead, tokens
from holdfast.syntax.languages.language import Language
from holdfast.syntax.parameters import parameter_count
from holdfast.syntax.parse import Parsed, captures
from holdfast.syntax.record import FunctionMetrics
from holdfast.syntax.recursion import Caller, Recursion
from holdfast.syntax.symbols import FUNCTIONS, Declared, body_of, declared, last_line, symbol_patterns

if TYPE_CHECKING:
    from tree_sitter import Node

PREFIX = "flow."
ANONYMOUS = "<anonymous>"
HOLDERS = frozenset(
    {
        *("assignment", "assignment_expression", "call", "call_expression", "const_spec", "field_definition"),
        *("init_declarator", "let_declaration", "pair", "property_declaration", "public_field_definition"),
        *("short_var_declaration", "var_spec", "variable_declarator"),
    }
)
"""Declarations whose value may be an anonymous function: the first in it, for a call the first argument."""

NEST, FUNCTION, CLASS, BRANCH, EXTRA, FLOW, FLAT, SEQUENCE, OPAQUE, INSIDE, LAMBDA, UNIT = range(12)
"""In the order of processing where several span the same text: a block before its only statement."""

ENTRIES = frozenset({FUNCTION, LAMBDA, UNIT})

ROLES = {
    "if": ((BRANCH, 1), (FLOW, 1)),
    "loop": ((BRANCH, 1), (FLOW, 1)),
    "catch": ((BRANCH, 1), (FLOW, 1)),
    "elif": ((BRANCH, 1),),
    "case": ((BRANCH, 1),),
    "default": ((BRANCH, -1),),
    "switch": ((FLOW, 1),),
    "else": ((FLAT, 1),),
    "jump": ((FLAT, 1),),
    "ternary": ((EXTRA, 1), (FLOW, 1)),
    "extra": ((EXTRA, 1),),
    "opaque": ((OPAQUE, 0),),
    "nest": ((NEST, 0),),
    "inside": ((INSIDE, 0),),
    "lambda": ((LAMBDA, 0),),
    "unit": ((UNIT, 0),),
    "class": ((CLASS, 0),),
}

Event = tuple[int, int, int, int]
"""Start, negated end, kind and a number: the amount to count, or an index."""


class _FunctionTally:
    """The running counts of one function."""

    def __init__(self, node: Node, kind: str, path: tuple[str, ...], named: bool = True) -> None:
        self.node = node
        self.kind = kind
        self.path = path
        self.named = named
        self.held = node
        """The function itself if the declaration only assigns it; code around it does not count."""
        self.branches = 1
        self.cognitive = 0
        self.nesting = 0
        self.decisions: list[int] = []
        """The offsets that extended complexity counts; a subtracted case is stored as `~offset`."""

    @property
    def end(self) -> int:
        return self.held.end_byte

    @property
    def extended(self) -> int:
        return 1 + sum(1 if place >= 0 else -1 for place in self.decisions)


class _OpenScope(NamedTuple):
    """An open node: its end, and the state to restore there."""

    end: int
    levels: list[int]
    functions: int
    is_class: bool


@cache
def metric_patterns(language: Language) -> str:
    """Return the query patterns whose captures `function_metrics` expects."""
    return re.sub(r"@(?=[a-z])", f"@{PREFIX}", language.flow.patterns)


class _Sweep:
    """One sweep over the captured nodes of a file in source order."""

    def __init__(self, parsed: Parsed, declared: Sequence[Declared], found: Mapping[str, list[Node]]) -> None:
        self.parsed = parsed
        self.flow = parsed.language.flow
        self.declared = declared
        self.found = found
        self.tallies = [
            _FunctionTally(each.node, each.kind, each.path)
            for each in declared
            if each.kind in FUNCTIONS and (each.node.type in HOLDERS or body_of(each.node) is not None)
        ]
        self._find_functions()
        self.others: list[Node] = []
        self.open: list[_FunctionTally] = []
        self.levels: list[int] = []
        """The nesting level in each of the open functions."""
        self.frames: list[_OpenScope] = []
        self.hidden = -1

    def _find_functions(self) -> None:
        """Find the anonymous function that each declaration assigns."""
        lambdas = sorted(self.found.get(f"{PREFIX}lambda", ()), key=lambda node: node.start_byte)
        starts = [node.start_byte for node in lambdas]
        for tally in self.tallies:
            if tally.node.type in HOLDERS:
                holder = tally.node.child_by_field_name("arguments") or tally.node
                first = bisect_left(starts, holder.start_byte)
                if first < len(lambdas) and lambdas[first].end_byte <= tally.end:
                    tally.held = lambdas[first]

    def run(self) -> list[_FunctionTally]:
        """Count, and return the functions in source order."""
        handlers = (
            *(self._nest, self._enter_declared, self._enter_class, self._branch, self._extra, self._break),
            *(self._flat, self._flat, self._hide, self._nest, self._enter_lambda, self._enter_unit),
        )
        frames = self.frames
        for start, minus_end, what, number in self._events():
            while frames and frames[-1].end <= start:
                self.levels = frames[-1].levels
                del self.open[frames.pop().functions :]
            if self.open or what in ENTRIES:
                handlers[what](start, -minus_end, number)
        rows = [each for each in self.tallies if each.named or each.cognitive or each.decisions]
        rows.sort(key=lambda each: (each.node.start_byte, -each.end))
        self._name(rows)
        return rows

    def _branch(self, start: int, _end: int, number: int) -> None:
        for tally in self.open if self.flow.cumulative or self.flow.inclusive else self.open[-1:]:
            tally.branches += number
        self._decide(start if number > 0 else ~start)

    def _extra(self, start: int, _end: int, _number: int) -> None:
        if start >= self.hidden:
            self._decide(start)

    def _decide(self, place: int) -> None:
        for tally in self.open if self.flow.inclusive else self.open[-1:]:
            tally.decisions.append(place)

    def _hide(self, _start: int, end: int, _number: int) -> None:
        self.hidden = end

    def _break(self, _start: int, _end: int, _number: int) -> None:
        if self.flow.alone:
            self.open[-1].cognitive += 1 + self.levels[-1]
        else:
            for tally, level in zip(self.open, self.levels, strict=True):
                tally.cognitive += 1 + level

    def _flat(self, _start: int, _end: int, number: int) -> None:
        for tally in self.open[-1:] if self.flow.alone else self.open:
            tally.cognitive += number

    def _nest(self, _start: int, end: int, _number: int) -> None:
        self._push(end, [level + 1 for level in self.levels])
        for tally, level in zip(self.open, self.levels, strict=True):
            if level > tally.nesting and not (self.flow.alone and tally is not self.open[-1]):
                tally.nesting = level

    def _enter_class(self, _start: int, end: int, _number: int) -> None:
        self._push(end, [0] * len(self.levels), is_class=True)

    def _events(self) -> list[Event]:
        events = [
            (tally.held.start_byte, -tally.end, FUNCTION, number) for number, tally in enumerate(self.tallies)
        ]
        chained = {(node.start_byte, node.end_byte) for node in self.found.get(f"{PREFIX}elif", ())}
        for name, counts in ROLES.items():
            nodes = self.found.get(PREFIX + name, ())
            if chained and name in ("if", "nest", "inside"):  # `else if` continues the chain without nesting
                nodes = [node for node in nodes if (node.start_byte, node.end_byte) not in chained]
            if name in ("lambda", "unit"):
                what, known = counts[0][0], len(self.others)
                self.others += nodes
                places = ((node.start_byte, -node.end_byte) for node in nodes)
                events += [(*place, what, number) for number, place in enumerate(places, known)]
                continue
            for what, number in counts:
                events += [(node.start_byte, -node.end_byte, what, number) for node in nodes]
        return sorted(events + self._logic())

    def _logic(self) -> list[Event]:
        logic, events = [], list[Event]()
        for node in self.found.get(f"{PREFIX}logic", ()):
            sign = operator(node)
            if sign in self.flow.logical:
                logic.append(node)
            if sign in self.flow.logical or sign in self.flow.coalescing:
                events.append((node.start_byte, -node.end_byte, EXTRA, 1))
        for root, number in sequences(self.flow, logic, self.found.get(f"{PREFIX}shown", ())):
            events.append((root.start_byte, -root.end_byte, SEQUENCE, number))
        return events

    def _push(self, end: int, levels: list[int], is_class: bool = False) -> None:
        self.frames.append(_OpenScope(end, self.levels, len(self.open), is_class))
        self.levels = levels

    def _enter_declared(self, _start: int, _end: int, number: int) -> None:
        self._enter(self.tallies[number])

    def _enter(self, tally: _FunctionTally) -> None:
        deeper = bool(self.open) and not self.frames[-1].is_class
        if deeper and self.flow.cumulative:
            deeper = not only_returns(self.open[-1].node, tally.node, self.parsed.language.comments)
        if self.flow.cumulative and tally.held is tally.node:
            for each in self.open:
                each.branches += 1
        self._push(tally.end, [*(level + deeper for level in self.levels), 0])
        self.open.append(tally)

    def _enter_lambda(self, start: int, end: int, number: int) -> None:
        """Enter an anonymous function, unless a declaration assigns it: then it is open already."""
        if self.open and (self.open[-1].held.start_byte, self.open[-1].end) == (start, end):
            return
        if self.flow.alone or not self.open:
            self._enter_unnamed(self.others[number], ANONYMOUS)
        else:
            self._push(end, [level + 1 for level in self.levels])

    def _enter_unit(self, _start: int, _end: int, number: int) -> None:
        node = self.others[number]
        first = re.match(rb"\w+", node.text or b"")
        self._enter_unnamed(node, first[0].decode() if first else ANONYMOUS)

    def _enter_unnamed(self, node: Node, name: str) -> None:
        tally = _FunctionTally(node, "Function", (name,), named=False)
        self.tallies.append(tally)
        self._enter(tally)

    def _name(self, rows: Sequence[_FunctionTally]) -> None:
        """Name anonymous rows after the innermost enclosing declaration."""
        around: list[Declared] = []
        waiting = 0
        for tally in rows:
            start = tally.node.start_byte
            while waiting < len(self.declared) and self.declared[waiting].node.start_byte <= start:
                around.append(self.declared[waiting])
                waiting += 1
            while around and around[-1].node.end_byte <= start:
                around.pop()
            if around and not tally.named:
                tally.path = (*around[-1].path, *tally.path)


def function_metrics(
    parsed: Parsed, names: Sequence[Declared], found: Mapping[str, list[Node]], code: Sequence[int]
) -> tuple[FunctionMetrics, ...]:
    """Return the metrics of each function in source order; `code` is the result of `code_before`."""
    return tuple(_rows(parsed, _Sweep(parsed, names, found).run(), code))


def _rows(
    parsed: Parsed, tallies: Sequence[_FunctionTally], code: Sequence[int]
) -> Iterator[FunctionMetrics]:
    flow, source = parsed.language.flow, parsed.source
    enclosing = list(_enclosing(tallies))
    spans: list[list[tuple[int, int]]] = [[] for _ in tallies]
    for tally, outer in zip(tallies, enclosing, strict=True):
        if outer is not None:
            spans[outer].append((tally.node.start_byte, tally.end))
    texts = [tokens(flow, _own_text(source, *each)) for each in zip(tallies, spans, strict=True)]
    words = list(map(set, texts))
    counts = [halstead(flow, *each) for each in zip(texts, words, strict=True)]
    for index, outer in reversed(list(enumerate(enclosing))):
        if outer is not None and not tallies[index].named:
            words[outer] |= words[index]  # calls of an anonymous function count for the enclosing one
    recursive = Recursion(source, _callers(tallies, words), flow.bare).recursive()
    for tally, counted in zip(tallies, counts, strict=True):
        yield _row(parsed, tally, code, ".".join(tally.path) in recursive, counted)


def _callers(tallies: Sequence[_FunctionTally], words: Sequence[set[bytes]]) -> Iterator[Caller]:
    """Yield the functions that a call can resolve to."""
    named = Counter(tally.path for tally in tallies)
    for tally, own in zip(tallies, words, strict=True):
        name = tally.path[-1].rpartition(".")[2].encode()
        if name and tally.named and named[tally.path] == 1 and tally.kind != "Constructor":
            yield Caller(tally.node, tally.path, name, tally.kind == "Method", own)


def _row(
    parsed: Parsed, tally: _FunctionTally, code: Sequence[int], recursive: bool, counted: Halstead
) -> FunctionMetrics:
    node = tally.node
    first, last = node.start_point[0] + 1, last_line(tally.held)
    return FunctionMetrics(
        ".".join(tally.path),
        first,
        last,
        parameter_count(node, parsed.language),
        code[last] - code[first - 1],
        tally.branches,
        tally.extended,
        tally.cognitive + recursive,
        recursive,
        tally.nesting,
        *counted,
    )


def code_before(source: bytes, comments: Sequence[Node] = ()) -> list[int]:
    """Return the number of lines of code before each line, and in total, without blank and comment lines."""
    rest = bytearray(source)
    for node in comments:
        start, end = node.start_byte, node.end_byte
        rest[start:end] = b"\n".join(b" " * len(line) for line in source[start:end].split(b"\n"))
    return list(accumulate(map(bool, map(bytes.strip, bytes(rest).split(b"\n"))), initial=0))


def _enclosing(tallies: Sequence[_FunctionTally]) -> Iterator[int | None]:
    """Yield, for each function, the index of the directly enclosing one."""
    open_: list[int] = []
    for index, tally in enumerate(tallies):
        while open_ and tallies[open_[-1]].end <= tally.node.start_byte:
            open_.pop()
        yield open_[-1] if open_ else None
        open_.append(index)


def _own_text(source: bytes, tally: _FunctionTally, inner: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    place = tally.node.start_byte
    for start, end in inner:
        yield source[place:start]
        place = end
    yield source[place : tally.end]


class Measured(NamedTuple):
    """The metrics of a function, its first line with decorators, and the lines of its decisions."""

    metrics: FunctionMetrics
    start_line: int
    decides_at: tuple[int, ...]
    """The lines that extended complexity counts, each once."""


def measured(parsed: Parsed) -> list[Measured]:
    """Return the metrics of each function of a file, in source order."""
    language = parsed.language
    comments = "\n".join(f"({kind}) @comment" for kind in sorted(language.comments))
    found = captures(parsed, "\n".join((symbol_patterns(language), metric_patterns(language), comments)))
    names = declared(parsed, found)
    first = {each.node.id: each.outer.start_point[0] + 1 for each in names}
    tallies = _Sweep(parsed, names, found).run()
    code = code_before(parsed.source, found.get("comment", ()))
    return [
        Measured(row, first.get(tally.node.id, row.line), _lines(parsed.source, tally.decisions))
        for tally, row in zip(tallies, _rows(parsed, tallies, code), strict=True)
    ]


def _lines(source: bytes, places: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(source.count(b"\n", 0, place) + 1 for place in sorted(places) if place >= 0))
