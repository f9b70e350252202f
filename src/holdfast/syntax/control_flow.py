"""Counts the branches, the breaks in the flow and the nesting of each function of a file.

The tables in `languages/` capture nodes under these names:

- `if`, `loop`, `catch`: a branch, and for cognitive complexity a break in the flow.
- `elif`, `case`: a branch. `default`: subtracts the branch of a case that always matches.
- `switch`: a break in the flow; its cases are the branches.
- `else`, `jump`: adds one to cognitive complexity, whatever the nesting level.
- `ternary`, `extra`: count in extended cyclomatic complexity only; `ternary` is also a break in the flow.
- `logic`: a logical operator. Counts in extended complexity, and its sequences in cognitive complexity.
- `shown`: an expression that decides whether JSX shows an element; its single sequence does not count.
- `nest`: raises the nesting level of the node and its content. `inside`: only of its content.
- `opaque`: its content does not count in extended complexity (radon treats `assert` so).
- `lambda`: an anonymous function. `unit`: code that runs without being a function by name: an accessor, a
  static block, the initial value of a field.
- `elsewhere`: code in the text of a function that runs where the function is defined or called. It counts
  nowhere, like the default arguments of Python in radon.
- `class`: nesting restarts at zero.

`complexity` turns the counts into metrics.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.cognitive import count_sequences, is_decorator, operator_of
from holdfast.syntax.languages.language import Language
from holdfast.syntax.languages.nodes import text_of
from holdfast.syntax.parse import Parsed
from holdfast.syntax.symbols import FUNCTIONS, DeclaredSymbol, body_node

if TYPE_CHECKING:
    from tree_sitter import Node

CAPTURE_PREFIX = "flow."
ANONYMOUS = "<anonymous>"
ASSIGNING_NODES = frozenset(
    {
        "assignment",
        "assignment_expression",
        "call",
        "call_expression",
        "const_spec",
        "field_definition",
        "init_declarator",
        "let_declaration",
        "pair",
        "property_declaration",
        "public_field_definition",
        "short_var_declaration",
        "var_spec",
        "variable_declarator",
    }
)
"""Declarations that may assign an anonymous function: the first in them, or in the arguments of a call."""


class EventKind(IntEnum):
    """What a node does to the counts.

    The numbers are the order of events at nodes with the same text, for which the source gives none.
    """

    ELSEWHERE = 0  # first, because nothing in it counts, the node included
    NEST = 1  # before what counts, because a block without braces has the same text as its only statement
    DECLARED = 2  # a declared function; before LAMBDA, because the declaration may have the same text
    CLASS = 3
    BRANCH = 4
    EXTRA = 5  # a decision of extended complexity only
    FLOW = 6  # a break in the flow
    FLAT = 7  # adds to cognitive complexity, whatever the nesting level
    OPAQUE = 8  # extended complexity skips its content
    INSIDE = 9  # after all that is counted, because the node itself is not nested
    LAMBDA = 10  # last, like UNIT: what has the same text counts for the function around it
    UNIT = 11


FUNCTION_EVENTS = (EventKind.DECLARED, EventKind.LAMBDA, EventKind.UNIT)

EVENTS_BY_CAPTURE = {
    "if": ((EventKind.BRANCH, 1), (EventKind.FLOW, 1)),
    "loop": ((EventKind.BRANCH, 1), (EventKind.FLOW, 1)),
    "catch": ((EventKind.BRANCH, 1), (EventKind.FLOW, 1)),
    "elif": ((EventKind.BRANCH, 1),),
    "case": ((EventKind.BRANCH, 1),),
    "default": ((EventKind.BRANCH, -1),),
    "switch": ((EventKind.FLOW, 1),),
    "else": ((EventKind.FLAT, 1),),
    "jump": ((EventKind.FLAT, 1),),
    "ternary": ((EventKind.EXTRA, 1), (EventKind.FLOW, 1)),
    "extra": ((EventKind.EXTRA, 1),),
    "opaque": ((EventKind.OPAQUE, 0),),
    "nest": ((EventKind.NEST, 0),),
    "inside": ((EventKind.INSIDE, 0),),
    "class": ((EventKind.CLASS, 0),),
    "elsewhere": ((EventKind.ELSEWHERE, 0),),
}
"""The events at the nodes of a capture, with the amount to count. Functions and `logic` are treated apart."""


class FlowEvent(NamedTuple):
    """An effect of a node. Sorted events are in source order, and an outer node comes before an inner one."""

    start: int
    negated_end: int
    kind: EventKind
    value: int
    """The amount to count; for `FUNCTION_EVENTS` an index in `tallies`, `lambdas` or `units`."""


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
        self.declared_nodes = {symbol.node.id for symbol in declared}
        self.found = found
        self.lambdas = sorted(self._captured("lambda"), key=lambda node: node.start_byte)
        self.tallies = [
            FunctionTally(symbol.node, symbol.kind, symbol.path)
            for symbol in declared
            if symbol.kind in FUNCTIONS
            and (symbol.node.type in ASSIGNING_NODES or body_node(symbol.node) is not None)
        ]
        self._find_assigned_functions()
        functions = {tally.node.id for tally in self.tallies}
        self.units = [node for node in self._captured("unit") if node.id not in functions]
        self.open: list[FunctionTally] = []
        """The functions around the current event, innermost last."""
        self.levels: list[int] = []
        """The nesting level in each of the open functions."""
        self.scopes: list[FlowScope] = []
        self.opaque_end = -1
        self.elsewhere_end = -1

    def _captured(self, name: str) -> Sequence[Node]:
        return self.found.get(CAPTURE_PREFIX + name, ())

    def _find_assigned_functions(self) -> None:
        """Set `function_node` of each declaration that assigns an anonymous function."""
        starts = [node.start_byte for node in self.lambdas]
        for tally in self.tallies:
            if tally.node.type in ASSIGNING_NODES:
                holder = tally.node.child_by_field_name("arguments") or tally.node
                first = bisect_left(starts, holder.start_byte)
                if first < len(self.lambdas) and self.lambdas[first].end_byte <= tally.end:
                    tally.function_node = self.lambdas[first]

    def run(self) -> list[FunctionTally]:
        """Count, and return the functions in source order, unnamed ones only if they have branches."""
        handlers = {
            EventKind.NEST: self._enter_nested,
            EventKind.DECLARED: self._enter_declared,
            EventKind.CLASS: self._enter_class,
            EventKind.BRANCH: self._count_branch,
            EventKind.EXTRA: self._count_extra,
            EventKind.FLOW: self._count_flow_break,
            EventKind.FLAT: self._count_flat,
            EventKind.OPAQUE: self._skip_content,
            EventKind.INSIDE: self._enter_nested,
            EventKind.LAMBDA: self._enter_lambda,
            EventKind.UNIT: self._enter_unit,
            EventKind.ELSEWHERE: self._skip_code_from_elsewhere,
        }
        scopes = self.scopes
        for start, negated_end, kind, value in self._events():
            while scopes and scopes[-1].end <= start:
                self.levels = scopes[-1].levels
                del self.open[scopes.pop().open_functions :]
            if start >= self.elsewhere_end and (self.open or kind in FUNCTION_EVENTS):
                handlers[kind](start, -negated_end, value)
        counted = [tally for tally in self.tallies if tally.is_named or tally.cognitive or tally.decisions]
        counted.sort(key=lambda tally: (tally.node.start_byte, -tally.end))
        self._qualify_unnamed(counted)
        return counted

    def _count_branch(self, start: int, _end: int, amount: int) -> None:
        for tally in self._counted(self.flow.counts_inner_functions or self.flow.counts_inner_branches):
            tally.branches += amount
        self._add_decision(start if amount > 0 else ~start)

    def _count_extra(self, start: int, _end: int, _amount: int) -> None:
        if start >= self.opaque_end:
            self._add_decision(start)

    def _add_decision(self, offset: int) -> None:
        for tally in self._counted(self.flow.counts_inner_branches):
            tally.decisions.append(offset)

    def _counted(self, includes_inner_functions: bool) -> Sequence[FunctionTally]:
        """Return the open functions for which a metric counts: all, or only the innermost."""
        return self.open if includes_inner_functions else self.open[-1:]

    def _skip_content(self, _start: int, end: int, _amount: int) -> None:
        self.opaque_end = end

    def _skip_code_from_elsewhere(self, _start: int, end: int, _amount: int) -> None:
        self.elsewhere_end = end

    def _count_flow_break(self, _start: int, _end: int, amount: int) -> None:
        for tally, level in self._counted_levels():
            tally.cognitive += amount + level

    def _count_flat(self, _start: int, _end: int, amount: int) -> None:
        for tally in self._counted(not self.flow.excludes_inner_functions):
            tally.cognitive += amount

    def _enter_nested(self, _start: int, end: int, _amount: int) -> None:
        self._push(end, [level + 1 for level in self.levels])
        for tally, level in self._counted_levels():
            if level > tally.nesting:
                tally.nesting = level

    def _counted_levels(self) -> Iterator[tuple[FunctionTally, int]]:
        """Return the functions for which cognitive complexity counts, with the nesting level in each."""
        if self.flow.excludes_inner_functions:
            return iter([(self.open[-1], self.levels[-1])])
        return zip(self.open, self.levels, strict=True)

    def _enter_class(self, _start: int, end: int, _amount: int) -> None:
        self._push(end, [0] * len(self.levels), is_class=True)

    def _events(self) -> list[FlowEvent]:
        events = [
            FlowEvent(tally.function_node.start_byte, -tally.end, EventKind.DECLARED, index)
            for index, tally in enumerate(self.tallies)
        ]
        for kind, entered in ((EventKind.LAMBDA, self.lambdas), (EventKind.UNIT, self.units)):
            events += [
                FlowEvent(node.start_byte, -node.end_byte, kind, index) for index, node in enumerate(entered)
            ]
        chained = {(node.start_byte, node.end_byte) for node in self._captured("elif")}
        for name, counts in EVENTS_BY_CAPTURE.items():
            nodes = self._captured(name)
            if chained and name in ("if", "nest", "inside"):  # `else if` continues the chain without nesting
                nodes = [node for node in nodes if (node.start_byte, node.end_byte) not in chained]
            for kind, amount in counts:
                events += [FlowEvent(node.start_byte, -node.end_byte, kind, amount) for node in nodes]
        return sorted(events + self._logic_events())

    def _logic_events(self) -> list[FlowEvent]:
        logic: list[Node] = []
        events: list[FlowEvent] = []
        for node in self._captured("logic"):
            operator = operator_of(node)
            if operator in self.flow.logical:
                logic.append(node)
            if operator in self.flow.logical or operator in self.flow.coalescing:
                events.append(FlowEvent(node.start_byte, -node.end_byte, EventKind.EXTRA, 1))
        for root, sequences in count_sequences(self.flow, logic, self._captured("shown")):
            events.append(FlowEvent(root.start_byte, -root.end_byte, EventKind.FLAT, sequences))
        return events

    def _push(self, end: int, levels: list[int], is_class: bool = False) -> None:
        self.scopes.append(FlowScope(end, self.levels, len(self.open), is_class))
        self.levels = levels

    def _enter_declared(self, _start: int, _end: int, index: int) -> None:
        self._enter(self.tallies[index])

    def _enter(self, tally: FunctionTally) -> None:
        """Open a function.

        For the functions around it, its content is one level deeper. It is not if a class is between them or,
        where cyclomatic complexity includes inner functions (Python), if the function directly around it is
        only a decorator. There each function around it also counts a declared inner one as a branch.
        """
        is_deeper = bool(self.open) and not self.scopes[-1].is_class
        if is_deeper and self.flow.counts_inner_functions:
            is_deeper = not is_decorator(self.open[-1].node, tally.node, self.parsed.language.comments)
        if self.flow.counts_inner_functions and tally.function_node is tally.node:
            for enclosing in self.open:
                enclosing.branches += 1
        self._push(tally.end, [*(level + is_deeper for level in self.levels), 0])
        self.open.append(tally)

    def _enter_lambda(self, start: int, end: int, index: int) -> None:
        """Enter an anonymous function, unless its declaration, which assigns it, has been entered already."""
        if self.open and (self.open[-1].function_node.start_byte, self.open[-1].end) == (start, end):
            return
        if self.flow.excludes_inner_functions or not self.open:
            self._enter_unnamed(self.lambdas[index], ANONYMOUS)
        else:
            self._push(end, [level + 1 for level in self.levels])

    def _enter_unit(self, _start: int, _end: int, index: int) -> None:
        node = self.units[index]
        if node.id in self.declared_nodes:
            self._enter_unnamed(node)
            return
        name = node.child_by_field_name("property") or node.child_by_field_name("name")
        first_word = re.match(r"#?\w+", text_of(name or node))
        self._enter_unnamed(node, first_word[0] if first_word else ANONYMOUS)

    def _enter_unnamed(self, node: Node, *name: str) -> None:
        """Open a function by a name that is put after that of the declaration around it, or by that alone."""
        tally = FunctionTally(node, "Function", name, is_named=False)
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
