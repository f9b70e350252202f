"""Expressions whose parts follow each other in a line, whatever is between them: `TODO.*cache`.

Contract: every match of the expression is matches of the parts, one after the other in the same line. In one
line there is at most one, because `.*` takes all it can; where it takes as little as it can, there are at
most as many as there are matches of the first part.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.comments.search.shape import Kind, Shape, shape_of
from holdfast.comments.search.syntax import Assertion, Choice, Letters, Node, Repeat, Sequence

_BEGINNING = frozenset({"^", r"\A"})
_END = frozenset({"$", r"\z"})


@dataclass(frozen=True)
class Chain:
    """What has to follow each other."""

    parts: tuple[Shape, ...]
    is_lazy: bool


def chain_of(choice: Choice) -> Chain | None:
    """Return the parts of an expression that follow each other, if that is what it is."""
    if len(choice.branches) > 1:
        return None
    nodes = _without_edges(choice.branches[0])
    jumps = [node for node in nodes if _is_jump(node)]
    if not jumps:
        return None
    parts = _between_jumps(nodes)
    shapes = [shape_of(Choice((part,))) for part in parts if part]
    found = [shape for shape in shapes if shape is not None and shape.branches]
    is_open = not parts[0] or not parts[-1]
    are_all_greedy = not any(map(_is_lazy, jumps))
    are_all_stars = all(isinstance(node, Repeat) and node.least == 0 for node in jumps)
    if not found or len(found) < len(shapes) or not all(parts[1:-1]):
        return None
    if is_open and not (are_all_greedy and are_all_stars):
        return None
    return Chain(tuple(found), is_lazy=not are_all_greedy) if _can_follow(found) else None


def _without_edges(nodes: Sequence) -> Sequence:
    """Return what is between the edges of the text, where the next thing may reach them anyway."""
    first = len(nodes) > 1 and _is_one_of(nodes[0], _BEGINNING) and _is_star(nodes[1])
    last = len(nodes) > 1 and _is_one_of(nodes[-1], _END) and _is_star(nodes[-2])
    return nodes[first : len(nodes) - last]


def _between_jumps(nodes: Sequence) -> list[Sequence]:
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if _is_jump(node):
            parts.append([])
        else:
            parts[-1].append(node)
    return [tuple(part) for part in parts]


def _can_follow(shapes: list[Shape]) -> bool:
    """Tell whether the words of two parts that follow each other say that the parts do."""
    for place, shape in enumerate(shapes):
        for branch in shape.branches:
            if any(piece.is_optional for piece in branch):
                return False
            if (place > 0 and branch[0].kind is Kind.GAP) or (
                place < len(shapes) - 1 and branch[-1].kind is Kind.GAP
            ):
                return False
    return True


def _is_jump(node: Node) -> bool:
    if not isinstance(node, Repeat) or node.most is not None or node.least > 1:
        return False
    return isinstance(node.node, Letters) and node.node.source == "."


def _is_lazy(node: Node) -> bool:
    return isinstance(node, Repeat) and len(node.source) > 1 and node.source.endswith("?")


def _is_star(node: Node) -> bool:
    return _is_jump(node) and isinstance(node, Repeat) and node.source == "*"


def _is_one_of(node: Node, assertions: frozenset[str]) -> bool:
    return isinstance(node, Assertion) and node.source in assertions
