"""What cognitive complexity needs beside nesting, as SonarSource's white paper defines it.

Sequences of like operators count once each (section "Sequences of logical operators"), a function that calls
itself counts one more ("Recursion"), and a function of Python that holds only a function and its return does
not nest it (Appendix A, "Python: Decorators").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.languages.language import Flow

if TYPE_CHECKING:
    from tree_sitter import Node

_PARENTHESES = frozenset({"parenthesized_expression", "parenthesized_statements", "tuple_expression"})
_TERNARY = frozenset({"ternary_expression", "conditional_expression"})
_CALLS = frozenset(
    {
        *("call", "call_expression", "method_invocation", "invocation_expression", "command"),
        *("function_call_expression", "member_call_expression", "scoped_call_expression"),
    }
)
_BEFORE = 200
"""How far back the object of a call is looked for."""
_OBJECTS = frozenset({b"self", b"cls", b"this", b"$this", b"Self", b"static"})
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")


def operator(node: Node) -> str:
    """Return the sign between two operands."""
    sign = _operator(node)
    return "" if sign is None else sign.type


def _operator(node: Node) -> Node | None:
    return node.child_by_field_name("operator") or node.child_by_field_name("op") or node.child(1)


def sequences(flow: Flow, nodes: Sequence[Node], shown: Sequence[Node]) -> Iterator[tuple[Node, int]]:
    """Yield the outermost of logical operators that belong together, with how many sequences they are.

    A sequence ends where the operator changes, in the order of the text, and at whatever stands between two
    operators: a negation, a call, and parentheses as far as the language's table says. Like operators
    that only decide which element of a page is `shown` are none.
    """
    outer: dict[int, tuple[int, bool]] = {}
    groups: dict[int, int] = {}
    signs: dict[int, str] = {}
    members: dict[int, list[tuple[int, Node]]] = defaultdict(list)
    for node in sorted(nodes, key=lambda one: (one.start_byte, -one.end_byte)):
        sign = _operator(node)
        if sign is None:
            continue
        for child in node.named_children:
            inner = _inside(child)
            outer[inner.id] = node.id, inner.id != child.id
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


def _holds_ternary(group: Sequence[tuple[int, Node]]) -> bool:
    return any(_inside(child).type in _TERNARY for _start, node in group for child in node.named_children)


def only_returns(outer: Node, inner: Node, comments: frozenset[str]) -> bool:
    """Return whether a function of Python only defines another one and returns its name."""
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


def calls_itself(source: bytes, node: Node, path: Sequence[str], flow: Flow, method: bool) -> bool:
    """Return whether a function calls itself by its name: alone, or as what belongs to its own object."""
    name = path[-1].rpartition(".")[2].encode()
    start, end = node.start_byte, node.end_byte
    if source.count(name, start, end) < 2:
        return False
    objects = _OBJECTS | {each.encode() for each in path[-2:-1]} | _receiver(node)
    place = source.find(name, source.find(name, start) + len(name), end)
    while place >= 0:
        after = place + len(name)
        if source[place - 1] not in _WORD and (after >= len(source) or source[after] not in _WORD):
            before = source[max(start, place - _BEFORE) : place].rstrip()
            for mark in (b".", b"->", b"::"):
                if before.endswith(mark):
                    fits = _last_word(before[: -len(mark)].rstrip(b" \n?")) in objects
                    break
            else:
                fits = flow.bare or not method
            if fits and _is_called(node, place, after):
                return True
        place = source.find(name, after, end)
    return False


def _last_word(text: bytes) -> bytes:
    place = len(text)
    while place and text[place - 1] in _WORD:
        place -= 1
    return text[place:] if not text[:place].endswith((b".", b"->", b"::")) else b""


def _receiver(node: Node) -> set[bytes]:
    """Return what a method of Go calls its own object."""
    receiver = node.child_by_field_name("receiver")
    text = receiver.text if receiver is not None else None
    return {text.strip(b"( )").split()[0]} if text and len(text.split()) > 1 else set()


def _is_called(function: Node, start: int, end: int) -> bool:
    node = function.descendant_for_byte_range(start, end)
    while node is not None and node.end_byte == end:
        if node.type in _CALLS:
            return True
        parent = node.parent
        if parent is not None and parent.type in _CALLS:
            first = parent.child_by_field_name("name") or parent.child(0)
            return first is not None and first.start_byte <= start and end <= first.end_byte
        node = parent
    return False
