"""Counts the branches, the breaks in the flow and the nesting of each function of a file.

The tables in `languages/` capture nodes under these names:

- `if`, `loop`, `catch`: a branch, and for cognitive complexity a break in the flow.
- `elif`, `case`: a branch. `default`: subtracts the branch of a case that always matches.
- `switch`: a break in the flow; its cases are the branches.
- `else`, `jump`: adds one to cognitive complexity, whatever the nesting level.
- `ternary`, `extra`, `logic`: count in extended cyclomatic complexity only, but sequences of `logic` also add
  to cognitive complexity.
- `nest`: raises the nesting level of the node and its content. `inside`: only of its content.
- `opaque`: its content does not count in extended complexity (radon treats `assert` so).
- `lambda`: an anonymous function. `unit`: code that runs without a declared name, such as an accessor.
- `class`: nesting restarts at zero.

`complexity` turns the counts into metrics.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.cognitive import count_sequences, is_decorator, operator_of
from holdfast.syntax.languages.language import Language
from holdfast.syntax.parse import Parsed
from holdfast.syntax.symbols import FUNCTIONS, DeclaredSymbol, body_node

if TYPE_CHECKING:
    from tree_sitter import Node

CAPTURE_PREFIX = "flow."
ANONYMOUS = "<anonymous>"
ASSIGNING_NODES = frozenset(
    {
        *("assignment", "assignment_expression", "call", "call_expression", "const_spec", "field_definition"),
        *("init_declarator", "let_declaration", "pair", "property_declaration", "public_field_definition"),
        *("short_var_declaration", "var_spec", "variable_declarator"),
    }
)
"""Declarations that may assign an anonymous function: the first in them, or in the arguments of a call."""

NEST, FUNCTION, CLASS, BRANCH, EXTRA, FLOW, FLAT, SEQUENCE, OPAQUE, INSIDE, LAMBDA, UNIT = range(12)
"""Kinds of events, in their order for nodes with the same text: a block comes before its only statement."""

FUNCTION_EVENTS = frozenset({FUNCTION, LAMBDA, UNIT})

EVENTS_BY_CAPTURE = {
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
"""The start of a node, its end negated, the kind of event, and a number.

The number is the amount to count or, for a function, its index. Sorted events are in source order, and an
outer node comes before an inner one.
"""


class FunctionTally:
    """The running counts of one function. `nesting` is the deepest nesting level in it."""

    def __init__(self, node: Node, kind: str, path: tuple[str, ...], is_named: bool = True) -> None:
        self.node = node
        self.kind = kind
        self.path = path
        self.is_named = is_named
        self.function_node = node
        """The function, if the declaration only assigns it; code around the function does not count."""
        self.branches = 1
        self.cognitive = 0
        self.nesting = 0
        self.decisions: list[int] = []
        """The offsets that extended complexity counts; a subtracted case is stored as `~offset`."""

    @property
    def end(self) -> int:
        return self.function_node.end_byte

    @property
    def extended(self) -> int:
        return 1 + sum(1 if offset >= 0 else -1 for offset in self.decisions)


class FlowScope(NamedTuple):
    """A node whose content is being counted: its end, and the state to restore there."""

    end: int
    levels: list[int]
    open_functions: int
    is_class: bool


@cache
def flow_patterns(language: Language) -> str:
    """Return the query patterns whose captures `FunctionCounter` expects."""
    return re.sub(r"@(?=[a-z])", f"@{CAPTURE_PREFIX}", language.flow.patterns)


class FunctionCounter:
    """Counts for all functions of a file, in one pass over the captured nodes in source order."""

    def __init__(
        self, parsed: Parsed, declared: Sequence[DeclaredSymbol], found: Mapping[str, list[Node]]
    ) -> None:
        self.parsed = parsed
        self.flow = parsed.language.flow
        self.declared = declared
        self.found = found
        self.tallies = [
            FunctionTally(symbol.node, symbol.kind, symbol.path)
            for symbol in declared
            if symbol.kind in FUNCTIONS
            and (symbol.node.type in ASSIGNING_NODES or body_node(symbol.node) is not None)
        ]
        self._find_assigned_functions()
        self.unnamed_nodes: list[Node] = []
        self.open: list[FunctionTally] = []
        self.levels: list[int] = []
        """The nesting level in each of the open functions."""
        self.scopes: list[FlowScope] = []
        self.opaque_end = -1

    def _find_assigned_functions(self) -> None:
        """Set `function_node` of each declaration that assigns an anonymous function."""
        lambdas = sorted(self.found.get(f"{CAPTURE_PREFIX}lambda", ()), key=lambda node: node.start_byte)
        starts = [node.start_byte for node in lambdas]
        for tally in self.tallies:
            if tally.node.type in ASSIGNING_NODES:
                holder = tally.node.child_by_field_name("arguments") or tally.node
                first = bisect_left(starts, holder.start_byte)
                if first < len(lambdas) and lambdas[first].end_byte <= tally.end:
                    tally.function_node = lambdas[first]

    def run(self) -> list[FunctionTally]:
        """Count, and return the functions in source order, unnamed ones only if they have branches."""
        handlers = {
            NEST: self._enter_nested,
            FUNCTION: self._enter_declared,
            CLASS: self._enter_class,
            BRANCH: self._count_branch,
            EXTRA: self._count_extra,
            FLOW: self._count_flow_break,
            FLAT: self._count_flat,
            SEQUENCE: self._count_flat,
            OPAQUE: self._skip_content,
            INSIDE: self._enter_nested,
            LAMBDA: self._enter_lambda,
            UNIT: self._enter_unit,
        }
        scopes = self.scopes
        for start, negated_end, kind, number in self._events():
            while scopes and scopes[-1].end <= start:
                self.levels = scopes[-1].levels
                del self.open[scopes.pop().open_functions :]
            if self.open or kind in FUNCTION_EVENTS:
                handlers[kind](start, -negated_end, number)
        counted = [tally for tally in self.tallies if tally.is_named or tally.cognitive or tally.decisions]
        counted.sort(key=lambda tally: (tally.node.start_byte, -tally.end))
        self._qualify_unnamed(counted)
        return counted

    def _count_branch(self, start: int, _end: int, number: int) -> None:
        counts_inner = self.flow.counts_inner_functions or self.flow.counts_inner_branches
        for tally in self.open if counts_inner else self.open[-1:]:
            tally.branches += number
        self._add_decision(start if number > 0 else ~start)

    def _count_extra(self, start: int, _end: int, _number: int) -> None:
        if start >= self.opaque_end:
            self._add_decision(start)

    def _add_decision(self, offset: int) -> None:
        for tally in self.open if self.flow.counts_inner_branches else self.open[-1:]:
            tally.decisions.append(offset)

    def _skip_content(self, _start: int, end: int, _number: int) -> None:
        self.opaque_end = end

    def _count_flow_break(self, _start: int, _end: int, _number: int) -> None:
        if self.flow.excludes_inner_functions:
            self.open[-1].cognitive += 1 + self.levels[-1]
        else:
            for tally, level in zip(self.open, self.levels, strict=True):
                tally.cognitive += 1 + level

    def _count_flat(self, _start: int, _end: int, number: int) -> None:
        for tally in self.open[-1:] if self.flow.excludes_inner_functions else self.open:
            tally.cognitive += number

    def _enter_nested(self, _start: int, end: int, _number: int) -> None:
        self._push(end, [level + 1 for level in self.levels])
        for tally, level in zip(self.open, self.levels, strict=True):
            if level > tally.nesting and not (
                self.flow.excludes_inner_functions and tally is not self.open[-1]
            ):
                tally.nesting = level

    def _enter_class(self, _start: int, end: int, _number: int) -> None:
        self._push(end, [0] * len(self.levels), is_class=True)

    def _events(self) -> list[Event]:
        events = [
            (tally.function_node.start_byte, -tally.end, FUNCTION, number)
            for number, tally in enumerate(self.tallies)
        ]
        chained = {(node.start_byte, node.end_byte) for node in self.found.get(f"{CAPTURE_PREFIX}elif", ())}
        for name, counts in EVENTS_BY_CAPTURE.items():
            nodes = self.found.get(CAPTURE_PREFIX + name, ())
            if chained and name in ("if", "nest", "inside"):  # `else if` continues the chain without nesting
                nodes = [node for node in nodes if (node.start_byte, node.end_byte) not in chained]
            if name in ("lambda", "unit"):
                ((kind, _amount),) = counts
                for index, node in enumerate(nodes, len(self.unnamed_nodes)):
                    events.append((node.start_byte, -node.end_byte, kind, index))
                self.unnamed_nodes += nodes
                continue
            for kind, amount in counts:
                events += [(node.start_byte, -node.end_byte, kind, amount) for node in nodes]
        return sorted(events + self._logic_events())

    def _logic_events(self) -> list[Event]:
        logic: list[Node] = []
        events: list[Event] = []
        for node in self.found.get(f"{CAPTURE_PREFIX}logic", ()):
            operator = operator_of(node)
            if operator in self.flow.logical:
                logic.append(node)
            if operator in self.flow.logical or operator in self.flow.coalescing:
                events.append((node.start_byte, -node.end_byte, EXTRA, 1))
        for root, number in count_sequences(self.flow, logic, self.found.get(f"{CAPTURE_PREFIX}shown", ())):
            events.append((root.start_byte, -root.end_byte, SEQUENCE, number))
        return events

    def _push(self, end: int, levels: list[int], is_class: bool = False) -> None:
        self.scopes.append(FlowScope(end, self.levels, len(self.open), is_class))
        self.levels = levels

    def _enter_declared(self, _start: int, _end: int, number: int) -> None:
        self._enter(self.tallies[number])

    def _enter(self, tally: FunctionTally) -> None:
        is_deeper = bool(self.open) and not self.scopes[-1].is_class
        if is_deeper and self.flow.counts_inner_functions:
            is_deeper = not is_decorator(self.open[-1].node, tally.node, self.parsed.language.comments)
        if self.flow.counts_inner_functions and tally.function_node is tally.node:
            for enclosing in self.open:
                enclosing.branches += 1
        self._push(tally.end, [*(level + is_deeper for level in self.levels), 0])
        self.open.append(tally)

    def _enter_lambda(self, start: int, end: int, number: int) -> None:
        """Enter an anonymous function, unless its declaration, which assigns it, has been entered already."""
        if self.open and (self.open[-1].function_node.start_byte, self.open[-1].end) == (start, end):
            return
        if self.flow.excludes_inner_functions or not self.open:
            self._enter_unnamed(self.unnamed_nodes[number], ANONYMOUS)
        else:
            self._push(end, [level + 1 for level in self.levels])

    def _enter_unit(self, _start: int, _end: int, number: int) -> None:
        node = self.unnamed_nodes[number]
        first = re.match(rb"\w+", node.text or b"")
        self._enter_unnamed(node, first[0].decode() if first else ANONYMOUS)

    def _enter_unnamed(self, node: Node, name: str) -> None:
        tally = FunctionTally(node, "Function", (name,), is_named=False)
        self.tallies.append(tally)
        self._enter(tally)

    def _qualify_unnamed(self, tallies: Sequence[FunctionTally]) -> None:
        """Qualify the names of unnamed functions by the innermost enclosing declaration."""
        around: list[DeclaredSymbol] = []
        next_index = 0
        for tally in tallies:
            start = tally.node.start_byte
            while next_index < len(self.declared) and self.declared[next_index].node.start_byte <= start:
                around.append(self.declared[next_index])
                next_index += 1
            while around and around[-1].node.end_byte <= start:
                around.pop()
            if around and not tally.is_named:
                tally.path = (*around[-1].path, *tally.path)
