"""Reads the names and kinds of declarations from syntax nodes, for the tables of the languages.

The classes are functions as data: the compiled core evaluates them itself, and calls any other function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class NameIn:
    """Names a declaration by the text of its child in a field, if there is one."""

    field: str

    def __call__(self, node: Node) -> Names:
        name = text_of(node.child_by_field_name(self.field))
        return (name,) if name else ()


name_field = NameIn("name")


@dataclass(frozen=True)
class FixedName:
    """Names declarations that have no name of their own, such as constructors."""

    name: str

    def __call__(self, _node: Node) -> Names:
        return (self.name,)


def title_name(title: str) -> Names:
    """Return the name of a function that is named by the call it is passed to; empty if it is no title."""
    return (title,) if len(title) <= _MAX_TITLE_CHARACTERS and "\n" not in title else ()


@dataclass(frozen=True)
class Several:
    """Finds the parts of a declaration: its children in a field, if there are several."""

    field: str

    def __call__(self, node: Node) -> Sequence[Node]:
        parts = [child for child in node.children_by_field_name(self.field) if child.is_named]
        return parts if len(parts) > 1 else ()


@dataclass(frozen=True)
class SeveralChildren:
    """Finds the parts of a declaration: its children of a type, if there are several.

    With `within`, they are children of its first child of that type.
    """

    kind: str
    within: str = ""

    def __call__(self, node: Node) -> Sequence[Node]:
        parent = child_of_type(node, self.within) if self.within else node
        parts = [child for child in parent.named_children if child.type == self.kind] if parent else []
        return parts if len(parts) > 1 else ()


@dataclass(frozen=True, eq=False)
class PartsByChild:
    """Finds the parts of a declaration by a function, if its child in a field has one of its types."""

    types: Mapping[str, frozenset[str]]
    find: Callable[[Node], Sequence[Node]]

    def __call__(self, node: Node) -> Sequence[Node]:
        for field, types in self.types.items():
            child = node.child_by_field_name(field)
            if child is not None and child.type in types:
                return self.find(node)
        return ()


@dataclass(frozen=True, eq=False)
class KindByChild:
    """Finds the kind of a declaration, by the type of its child in a field.

    With `name_type`, a declaration whose name has another type declares no symbol.
    """

    field: str
    kinds: Mapping[str, str]
    otherwise: str | None
    name_type: str = ""

    def __call__(self, node: Node) -> str | None:
        if self.name_type:
            name = node.child_by_field_name("name")
            if name is None or name.type != self.name_type:
                return None
        child = node.child_by_field_name(self.field)
        return self.otherwise if child is None else self.kinds.get(child.type, self.otherwise)
