"""The table that describes a language: how to detect it, its grammar, and what the grammar's nodes mean.

Code that reads syntax trees uses the table and does not depend on the name of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.syntax.languages.naming import NO_NAMING, Naming

if TYPE_CHECKING:
    from tree_sitter import Node

Names = tuple[str, ...]
"""The qualified name of a declaration: its own name last, preceded by the owner if the source names it."""


def text_of(node: Node | None) -> str:
    """Return the source text of a node, or an empty string."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def named(node: Node) -> Names:
    """Return the text of the field `name`, if any."""
    name = text_of(node.child_by_field_name("name"))
    return (name,) if name else ()


def has_body(node: Node) -> bool:
    """Return whether a node defines its content instead of only mentioning a name."""
    return node.child_by_field_name("body") is not None


@dataclass(frozen=True)
class Declaration:
    """A node type that declares a symbol.

    `kind` is an LSP SymbolKind, or a function that returns one, or None for no symbol. `pattern` restricts
    which nodes of the type are declarations. `closures` matches those that declare a symbol even inside
    functions, where the others are local variables. `constructor` is the name of functions that are
    constructors.
    """

    node: str
    kind: str | Callable[[Node], str | None]
    names: Callable[[Node], Names] = named
    pattern: str | None = None
    closures: str | None = None
    constructor: str | None = None

    @property
    def query(self) -> str:
        """The tree-sitter query pattern for these nodes."""
        if self.closures is not None:
            return f"({self.node}) @variable {self.closures} @declaration"
        return f"{self.pattern or f'({self.node})'} @declaration"


@dataclass(frozen=True)
class Flow:
    """How complexity is counted in a language.

    - `patterns` capture nodes by their effect on control flow; `complexity.py` documents the capture names.
    - `operators`: the keywords that are Halstead operators; other words are operands.
    - `strings` and `comments` select the literal and comment patterns in `halstead.py`, `imports` the import
      pattern in `lexer.py`.
    - `cumulative`: cyclomatic complexity includes the branches of named inner functions, plus one for each.
    - `inclusive`: both cyclomatic complexities include the branches of named inner functions.
    - `alone`: cognitive complexity excludes inner functions.
    - `parentheses`: which sequences of operators continue inside parentheses: `like` operators, `all` or
      `none`.
    - `logical` operators form sequences; `coalescing` ones do not, and count in extended complexity only.
    - `free`: logical operators whose sequences do not count.
    - `bare`: a method may call itself without naming its object.
    """

    patterns: str
    operators: str
    strings: tuple[str, ...] = ("double", "single")
    comments: str = "slashes"
    imports: str = "import"
    cumulative: bool = False
    inclusive: bool = False
    alone: bool = False
    parentheses: str = "like"
    logical: frozenset[str] = frozenset({"&&", "||"})
    coalescing: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()
    bare: bool = True


@dataclass(frozen=True)
class Language:
    """One language.

    - `wrappers`: nodes that belong to the declaration inside them (decorators, `export`, `template <…>`).
      Maps the node type to the child's field, or to its types joined by `|`; ignored if several children
      match.
    - `attributes`: nodes that precede the declaration they belong to, as siblings.
    - `scopes`: anonymous functions; declarations inside them are local.
    - `flow`: how complexity is counted.
    - `atoms`: nodes that are one token although they have children.
    - `exact`: whether a parse error always is a syntax error. Not so if there is a preprocessor or the
      grammar lags behind the language: then correct files have parse errors, too.
    - `naming`: imports, calls, declarations and visibility.
    - `rewritten`: pairs of a pattern for syntax that the grammar does not know and an equivalent that is not
      longer; applied if the tree has errors, and always if the language is not `exact`.
    - `relatives`: extensions of dialects that the grammar supports only in part.
    """

    name: str
    fence: str
    grammar: tuple[str, str]
    extensions: tuple[str, ...]
    comments: frozenset[str]
    declarations: tuple[Declaration, ...]
    flow: Flow
    filenames: frozenset[str] = frozenset()
    interpreters: frozenset[str] = frozenset()
    wrappers: Mapping[str, str] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    atoms: frozenset[str] = frozenset()
    exact: bool = True
    relatives: tuple[str, ...] = ()
    rewritten: tuple[tuple[bytes, bytes], ...] = ()
    naming: Naming = NO_NAMING

    def __hash__(self) -> int:
        return hash(self.name)
