"""Reads the names and kinds of declarations from syntax nodes, for the tables of the languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_TITLE_CHARACTERS = 80  # titles of tests are one short line; longer text is hardly one

Names = tuple[str, ...]
"""The qualified name of a declaration: its simple name last, after the owner if the declaration names it."""


def text_of(node: Node | None) -> str:
    """Return the source text of a node, or an empty string."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def child_of_type(node: Node, kind: str) -> Node | None:
    """Return the first named child of a type."""
    return next((child for child in node.named_children if child.type == kind), None)


def name_in(field_name: str) -> Callable[[Node], Names]:
    """Return a function that names a declaration by the text of its child in a field, if there is one."""

    def read_name(node: Node) -> Names:
        name = text_of(node.child_by_field_name(field_name))
        return (name,) if name else ()

    return read_name


name_field = name_in("name")


def fixed_name(name: str) -> Callable[[Node], Names]:
    """Return a function that names declarations which have no name of their own, such as constructors."""
    return lambda _node: (name,)


def title_name(title: str) -> Names:
    """Return the name of a function that is named by the call it is passed to; empty if it is no title."""
    return (title,) if len(title) <= _MAX_TITLE_CHARACTERS and "\n" not in title else ()


def several(field_name: str) -> Callable[[Node], Sequence[Node]]:
    """Return a function for the parts of a declaration: its children in a field, if there are several."""

    def read_parts(node: Node) -> Sequence[Node]:
        parts = [child for child in node.children_by_field_name(field_name) if child.is_named]
        return parts if len(parts) > 1 else ()

    return read_parts


def several_children(kind: str, within: str = "") -> Callable[[Node], Sequence[Node]]:
    """Return a function for the parts of a declaration: its children of a type, if there are several.

    With `within`, they are children of its first child of that type.
    """

    def read_parts(node: Node) -> Sequence[Node]:
        parent = child_of_type(node, within) if within else node
        parts = [child for child in parent.named_children if child.type == kind] if parent else []
        return parts if len(parts) > 1 else ()

    return read_parts


def kind_by_child(
    field_name: str, kinds: Mapping[str, str], otherwise: str | None
) -> Callable[[Node], str | None]:
    """Return a function for the kind of a declaration, by the type of its child in a field."""

    def read_kind(node: Node) -> str | None:
        child = node.child_by_field_name(field_name)
        return otherwise if child is None else kinds.get(child.type, otherwise)

    return read_kind
