"""Two rules of SonarSource's cognitive complexity that do not follow from nesting alone.

A sequence of equal logical operators counts once (white paper, "Sequences of logical operators"). A Python
function that only defines and returns another one does not increase its nesting (Appendix A, "Python:
Decorators").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Flow

if TYPE_CHECKING:
    from tree_sitter import Node

_PARENTHESES = frozenset({"parenthesized_expression", "parenthesized_statements", "tuple_expression"})
_BEGUN = frozenset(f"{kind}_expression" for kind in ("binary", "call", "member", "non_null", "subscript"))
_TERNARY = frozenset({"ternary_expression", "conditional_expression"})


def operator(node: Node) -> str:
    """Return the operator of a binary expression."""
    sign = _operator(node)
    return "" if sign is None else sign.type


def _operator(node: Node) -> Node | None:
    return node.child_by_field_name("operator") or node.child_by_field_name("op") or node.child(1)


def sequences(flow: Flow, nodes: Sequence[Node], shown: Sequence[Node]) -> Iterator[tuple[Node, int]]:
    """Yield the outermost node of each logical expression with the number of operator sequences in it.

    A sequence ends where the operator changes, in source order, or where a negation or call is between two
    operators; `flow.parentheses` says whether it continues in parentheses. In JSX, operators of one kind that
    only choose whether an element is `shown` do not count.
    """
    outer: dict[int, tuple[int, bool]] = {}
    groups: dict[int, int] = {}
    signs: dict[int, str] = {}
    members: dict[int, list[tuple[int, Node]]] = defaultdict(list)
    known = {node.id for node in nodes}
    for node in sorted(nodes, key=lambda one: (one.start_byte, -one.end_byte)):
        sign = _operator(node)
        if sign is None:
            continue
        for child in node.named_children:
            begun = None if child.id in known else _begins(child, flow.logical)
            inner = begun or _inside(child)
            outer[inner.id] = node.id, begun is None and inner.id != child.id
        above, enclosed = outer.get(node.id, (-1, False))
        joined = above in groups and (
            not enclosed
            or flow.parentheses == "all"
            or (flow.parentheses == "like" and signs[above] == sign.type)
        )
        groups[node.id] = groups[above] if joined else node.id
        signs[node.id] = sign.type
        members[groups[node.id]].append((sign.start_byte, node))
    free = {node.id for node in shown}
    for key, group in members.items():
        kinds = [signs[node.id] for _start, node in sorted(group, key=lambda each: each[0])]
        if key not in free or len(set(kinds)) > 1 or _holds_ternary(group):
            pairs = zip([None, *kinds], kinds, strict=False)
            yield group[0][1], sum(before != kind and kind not in flow.free for before, kind in pairs)


def _inside(node: Node) -> Node:
    while node.type in _PARENTHESES and (inner := node.named_child(0)) is not None:
        node = inner
    return node


def _begins(node: Node, logical: frozenset[str]) -> Node | None:
    """Return the operation inside a TypeScript `!`: the grammar parses `a && b!.c` as `(a && b)!.c`."""
    while node.type in _BEGUN and (first := node.named_child(0)) is not None:
        node = first
        if node.type == "binary_expression" and operator(node) in logical:
            return node
    return None


def _holds_ternary(group: Sequence[tuple[int, Node]]) -> bool:
    return any(_inside(child).type in _TERNARY for _start, node in group for child in node.named_children)


def only_returns(outer: Node, inner: Node, comments: frozenset[str]) -> bool:
    """Return whether a Python function only defines another one and returns its name."""
    body = outer.child_by_field_name("body")
    for statement in body.named_children if body is not None else ():
        if statement.type in comments:
            continue
        if statement.start_byte <= inner.start_byte and inner.end_byte <= statement.end_byte:
            if statement.type not in ("function_definition", "decorated_definition"):
                return False
        elif statement.type != "return_statement" or [child.type for child in statement.named_children] != [
            "identifier"
        ]:
            return False
    return True
