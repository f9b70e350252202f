"""Finds the symbols that a source file declares, and their extents.

Contract:
- Symbols are in source order, an outer symbol before those nested in it.
- Local variables of functions are not symbols; nested functions, classes and types are.
- `start_line` is the first line of the declaration, decorators included; `name_line` is the line of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from holdfast.kernel.text import shorten
from holdfast.syntax.languages.language import Declaration, Language
from holdfast.syntax.languages.nodes import Names, text_of
from holdfast.syntax.parse import MAX_PARSE_SECONDS, Parsed, captures

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE_CHARACTERS = 300
"""A few lines of code; longer signatures are shortened."""
_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
VARIABLE_RANK = 1
"""The rank of nodes that declare a symbol only outside functions; declarations rank higher, others lower."""

FUNCTIONS = frozenset({"Function", "Method", "Constructor"})
CLASSES = frozenset({"Class", "Interface", "Struct", "Enum", "Object"})
VARIABLES = frozenset({"Variable", "Constant", "Property", "Field"})
BODY_TYPES = ("class_body", "function_body", "enum_class_body", "protocol_body", "block", "accessor_list")


@dataclass(frozen=True)
class Symbol:
    """A symbol that a file declares.

    `path` is the qualified name, the outermost part first. `kind` is the name of an LSP SymbolKind. `span` is
    its byte range in the source. `body_start` is the first line of its body, or its own without a body.
    """

    name: str
    kind: str
    path: tuple[str, ...]
    container: str | None
    start_line: int
    end_line: int
    signature: str
    body_start: int
    name_line: int
    span: tuple[int, int]

    @property
    def is_function(self) -> bool:
        return self.kind in FUNCTIONS

    @property
    def is_type(self) -> bool:
        """Whether it is a class or another type: an interface, struct, enum or object."""
        return self.kind in CLASSES


class DeclaredSymbol(NamedTuple):
    """A symbol in the tree. `outer` is its node, the wrapper around it, or the first attribute before it."""

    node: Node
    outer: Node
    kind: str
    path: tuple[str, ...]
    declaration: Node | None = None
    """The declaration of several names that `node` is a part of."""

    @property
    def start(self) -> int:
        """The first byte that belongs to it alone: what several names share belongs to none of them."""
        return self.outer.start_byte if self.declaration is None else self.node.start_byte


class _SymbolNode(NamedTuple):
    """A captured node, and the declaration of several names that it is a part of."""

    node: Node
    rank: int
    declaration: Node | None = None


class _SymbolScope(NamedTuple):
    """A declaration or anonymous function whose content is being read."""

    end: int
    path: tuple[str, ...] = ()
    is_class: bool = False
    is_local: bool = False
    """Whether declarations in it are local to a function."""


@cache
def symbol_patterns(language: Language) -> str:
    """Return the query patterns whose captures `find_declarations` expects."""
    declarations = [declaration.query for declaration in language.declarations]
    surrounding = sorted({*language.wrappers, *language.scopes, *language.attributes})
    return "\n".join([*declarations, *(f"({node_type}) @surrounding" for node_type in surrounding)])


_MAX_DEPTH = 200
"""Scopes around a symbol; deeper ones are left out. A judgement: far more than anyone nests. The paths of
symbols in each other take time and memory quadratic in their depth."""


@cache
def _declarations(language: Language) -> dict[str, Declaration]:
    return {declaration.node: declaration for declaration in language.declarations}


def symbols(parsed: Parsed, seconds: float = MAX_PARSE_SECONDS) -> tuple[Symbol, ...]:
    """Return the symbols of a file, or raise `ParseTooLong` after some seconds."""
    found = captures(parsed, symbol_patterns(parsed.language), seconds)
    return tuple(_to_symbol(parsed.source, declared) for declared in find_declarations(parsed, found))


def find_declarations(parsed: Parsed, found: Mapping[str, list[Node]]) -> list[DeclaredSymbol]:
    """Return the declarations among the nodes that `symbol_patterns` captured."""
    return list(_SymbolReader(parsed).read(found))


class _SymbolReader:
    """Reads the symbols of one file from the captured nodes, in source order."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.language = parsed.language
        self.declarations = _declarations(parsed.language)
        self.open = [_SymbolScope(len(parsed.source) + 1)]
        self.wrapped: dict[tuple[int, int], Node] = {}
        self.attributes: tuple[Node, int] | None = None
        self.begun: set[int] = set()
        """The declarations of which a part has been read."""

    def read(self, found: Mapping[str, list[Node]]) -> Iterator[DeclaredSymbol]:
        language, open_ = self.language, self.open
        for (start, *_), (node, rank, declaration) in sorted(self._nodes(found).items()):
            while open_[-1].end <= start:
                open_.pop()
            if rank == VARIABLE_RANK and open_[-1].is_local:
                continue
            kind = node.type
            if kind in language.attributes:
                self._remember_attribute(node)
            if kind in language.wrappers:
                self._wrap(node)
            symbol = self._symbol(node, declaration) if rank >= VARIABLE_RANK else None
            if symbol is not None:
                yield symbol
            elif kind in language.scopes:
                open_.append(_SymbolScope(node.end_byte, open_[-1].path, is_local=True))

    def _nodes(self, found: Mapping[str, list[Node]]) -> dict[tuple[int, ...], _SymbolNode]:
        """Return the captured nodes by position, with the parts of a declaration of several names instead."""
        nodes: dict[tuple[int, ...], _SymbolNode] = {}
        covered: set[tuple[str, int]] = set()
        for rank, role in enumerate(("surrounding", "variable", "declaration")):
            for node in found.get(role, ()):
                declaration = self.declarations.get(node.type) if rank >= VARIABLE_RANK else None
                parts = declaration.parts(node) if declaration and declaration.parts else ()
                for part in parts:
                    covered.add((node.type, part.start_byte))
                    nodes[part.start_byte, -part.end_byte, 0, part.id] = _SymbolNode(part, rank, node)
                if not parts:
                    nodes[node.start_byte, -node.end_byte, 1, node.id] = _SymbolNode(node, rank)
        # In `a = b = x` the parts of the outer assignment include the target of the inner one.
        return {
            key: each
            for key, each in nodes.items()
            if each.declaration is not None or (each.node.type, each.node.start_byte) not in covered
        }

    def _wrap(self, node: Node) -> None:
        """Remember a wrapper by the declaration in it."""
        field_or_types = self.language.wrappers[node.type]
        child = node.child_by_field_name(field_or_types)
        if child is None:
            types = field_or_types.split("|")
            matching = [child for child in node.named_children if child.type in types]
            if len(matching) != 1:
                return
            child = matching[0]
        outer = self.wrapped.get((node.start_byte, node.end_byte), node)
        self.wrapped[child.start_byte, child.end_byte] = outer

    def _remember_attribute(self, node: Node) -> None:
        """Remember the first of several adjacent attributes."""
        first = self._first_attribute(node) or node
        self.attributes = (first, node.end_byte)

    def _first_attribute(self, node: Node) -> Node | None:
        """Return the first attribute directly before a node; comments may be between them."""
        if self.attributes is None:
            return None
        first, end = self.attributes
        between = self.parsed.source[end : node.start_byte]
        return None if _COMMENTS.sub(b"", between).strip() else first

    def _symbol(self, node: Node, whole: Node | None) -> DeclaredSymbol | None:
        """Return the symbol that a node, or a part of a whole declaration, declares, and open its scope."""
        if len(self.open) > _MAX_DEPTH:
            return None
        declaration = self.declarations[(whole or node).type]
        kind = declaration.kind if isinstance(declaration.kind, str) else declaration.kind(node)
        if whole is not None and not node.named_child_count:
            names: Names = (text_of(node),)
        else:
            names = declaration.names(node) if kind is not None else ()
        if kind is None or not names or not names[-1]:
            return None
        scope, end = self.open[-1], node.end_byte
        if kind in VARIABLES and scope.is_local:
            return None
        if names[-1] == declaration.constructor:
            kind = "Constructor"
        elif kind == "Function" and (len(names) > 1 or scope.is_class):
            kind = "Method"
        path = scope.path + names
        is_local = scope.is_local or kind in FUNCTIONS
        self.open.append(_SymbolScope(end, path, kind in CLASSES, is_local))
        outer = whole or node
        if outer.id in self.begun:  # the first part has what comes before it
            return DeclaredSymbol(node, node, kind, path, whole)
        if whole is not None:
            self.begun.add(whole.id)
        outer = self.wrapped.get((outer.start_byte, outer.end_byte), outer)
        return DeclaredSymbol(node, self._first_attribute(outer) or outer, kind, path, whole)


def _to_symbol(source: bytes, declared: DeclaredSymbol) -> Symbol:
    node, outer, kind, path, declaration = declared
    body = body_node(node)
    whole = declaration or node
    end = body.start_byte if body is not None else _end_of_line(source, whole)
    return Symbol(
        name=path[-1],
        kind=kind,
        path=path,
        container=path[-2] if len(path) > 1 else None,
        start_line=outer.start_point[0] + 1,
        end_line=last_line(node),
        signature=_signature(source[whole.start_byte : end]),
        body_start=(body if body is not None else node).start_point[0] + 1,
        name_line=name_node(node).start_point[0] + 1,
        span=(outer.start_byte, node.end_byte),
    )


def name_node(node: Node) -> Node:
    """Return the node of a declaration's name, or else its declarator, or the declaration itself."""
    return node.child_by_field_name("name") or node.child_by_field_name("declarator") or node


def last_line(node: Node) -> int:
    """Return the last line on which a node has text."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def _end_of_line(source: bytes, node: Node) -> int:
    end = source.find(b"\n", node.start_byte, node.end_byte)
    return node.end_byte if end < 0 else end


def body_node(node: Node) -> Node | None:
    """Return the body of a declaration, or None."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    for field in ("value", "right", "type"):
        value = node.child_by_field_name(field)
        if value is not None:
            return value.child_by_field_name("body")
    return next((child for child in node.named_children if child.type in BODY_TYPES), None)


def _signature(source: bytes) -> str:
    return shorten(
        " ".join(source.decode("utf-8", "replace").split()).rstrip("{: ="), MAX_SIGNATURE_CHARACTERS
    )
