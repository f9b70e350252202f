"""Two rules of SonarSource's cognitive complexity that do not follow from nesting alone.

- A sequence of equal logical operators counts once (white paper, "Sequences of logical operators").
- A Python function that only defines and returns another function does not increase the nesting level of that
  function (Appendix A, "Python: Decorators").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Flow

if TYPE_CHECKING:
    from tree_sitter import Node

_PARENTHESES = frozenset({"parenthesized_expression", "parenthesized_statements", "tuple_expression"})
_CHAIN_NODES = frozenset(
    f"{kind}_expression" for kind in ("binary", "call", "member", "non_null", "subscript")
)
_TERNARY = frozenset({"ternary_expression", "conditional_expression"})


def operator_of(node: Node) -> str:
    """Return the operator of a binary expression."""
    operator = _operator_node(node)
    return "" if operator is None else operator.type


def _operator_node(node: Node) -> Node | None:
    return node.child_by_field_name("operator") or node.child_by_field_name("op") or node.child(1)


def count_sequences(flow: Flow, nodes: Sequence[Node], shown: Sequence[Node]) -> Iterator[tuple[Node, int]]:
    """Yield the outermost node of each logical expression, with the number of operator sequences in it.

    A sequence ends where the operator changes, in source order, or where a negation or call is between two
    operators; `flow.parentheses` says whether it continues in parentheses. In JSX, operators of one kind that
    only choose whether an element is `shown` do not count.
    """
    parents: dict[int, tuple[int, bool]] = {}  # by operand: its operation, and whether it is in parentheses
    expressions: dict[int, int] = {}  # by operation: the outermost operation of the expression
    operators: dict[int, str] = {}
    members: dict[int, list[tuple[int, Node]]] = defaultdict(list)  # by outermost operation
    known = {node.id for node in nodes}
    for node in sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte)):
        operator = _operator_node(node)
        if operator is None:
            continue
        for child in node.named_children:
            misparsed = None if child.id in known else _misparsed_operation(child, flow.logical)
            operand = misparsed or _unwrap(child)
            parents[operand.id] = node.id, misparsed is None and operand.id != child.id
        parent, in_parentheses = parents.get(node.id, (-1, False))
        continues = parent in expressions and (
            not in_parentheses
            or flow.parentheses == "all"
            or (flow.parentheses == "like" and operators[parent] == operator.type)
        )
        expressions[node.id] = expressions[parent] if continues else node.id
        operators[node.id] = operator.type
        members[expressions[node.id]].append((operator.start_byte, node))
    shown_ids = {node.id for node in shown}
    for outermost, group in members.items():
        kinds = [operators[node.id] for _start, node in sorted(group, key=lambda member: member[0])]
        if outermost not in shown_ids or len(set(kinds)) > 1 or _has_ternary_operand(group):
            pairs = zip([None, *kinds], kinds, strict=False)
            count = sum(before != kind and kind not in flow.uncounted for before, kind in pairs)
            yield group[0][1], count


def _unwrap(node: Node) -> Node:
    """Return the expression in parentheses."""
    while node.type in _PARENTHESES and (inner := node.named_child(0)) is not None:
        node = inner
    return node


def _misparsed_operation(node: Node, logical: frozenset[str]) -> Node | None:
    """Return the operation inside a TypeScript `!`; the grammar parses `a && b!.c` as `(a && b)!.c`."""
    while node.type in _CHAIN_NODES and (first := node.named_child(0)) is not None:
        node = first
        if node.type == "binary_expression" and operator_of(node) in logical:
            return node
    return None


def _has_ternary_operand(group: Sequence[tuple[int, Node]]) -> bool:
    return any(_unwrap(child).type in _TERNARY for _start, node in group for child in node.named_children)


def is_decorator(outer: Node, inner: Node, comments: frozenset[str]) -> bool:
    """Return whether a Python function only defines another function and returns its name."""
    body = outer.child_by_field_name("body")
    for statement in body.named_children if body is not None else ():
        if statement.type in comments:
            continue
        contains_inner = statement.start_byte <= inner.start_byte and inner.end_byte <= statement.end_byte
        returned = [child.type for child in statement.named_children]
        if contains_inner:
            if statement.type not in ("function_definition", "decorated_definition"):
                return False
        elif statement.type != "return_statement" or returned != ["identifier"]:
            return False
    return True
