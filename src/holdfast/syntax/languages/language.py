"""What is known of a language: how to tell it, which grammar reads it, what its nodes mean.

A language is a table. Code that reads trees asks the table and never the name of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.syntax.languages.naming import NO_NAMING, Naming

if TYPE_CHECKING:
    from tree_sitter import Node

Names = tuple[str, ...]
"""What a declaration is called: its own name last, before it what it belongs to where the source says so."""


def text_of(node: Node | None) -> str:
    """Return the source text of a node, or nothing."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def named(node: Node) -> Names:
    """Return the name that stands in the field `name`."""
    name = text_of(node.child_by_field_name("name"))
    return (name,) if name else ()


def has_body(node: Node) -> bool:
    """Return whether a declaration says what it holds, and does not merely mention it."""
    return node.child_by_field_name("body") is not None


@dataclass(frozen=True)
class Declaration:
    """A kind of node that declares something with a name.

    `kind` is a SymbolKind of VS Code, or decides on one, or on none. `pattern` narrows which nodes
    are looked at; without it all of that type are. `closures` are those that declare something even
    within a function, where the others are local variables and not looked at. `constructor` is the name
    that makes a function one.
    """

    node: str
    kind: str | Callable[[Node], str | None]
    names: Callable[[Node], Names] = named
    pattern: str | None = None
    closures: str | None = None
    constructor: str | None = None

    @property
    def query(self) -> str:
        """The tree-sitter pattern that finds these nodes."""
        if self.closures is not None:
            return f"({self.node}) @variable {self.closures} @declaration"
        return f"{self.pattern or f'({self.node})'} @declaration"


@dataclass(frozen=True)
class Flow:
    """How control flows in a language.

    - `patterns` capture nodes by what they do; `complexity.py` says what each name counts.
    - `operators` are the words that are operators to Halstead; others are operands.
    - `strings` and `comments` name the literals and comments of the language in `halstead.py`, `imports` what
      its imports look like in `lexer.py`.
    - `cumulative`: a function counts what its named inner functions decide, and one for each of them.
    - `inclusive`: a function counts what its named inner functions decide, in both dialects.
    - `alone`: a function has the cognitive complexity of its own text, without functions in it.
    - `parentheses`: whether a sequence of operators goes on in them: that of `like` ones, `all`, or `none`.
    - `logical` operators make sequences; `coalescing` ones do not, and only the extended dialect counts them.
    - `free` are logical operators that no sequence is counted for.
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

    - `wrappers` belong to the declaration that they hold (decorators, `export`, `template <…>`): node type to
      the field of the child, or to its possible types, joined by `|`; one that holds several belongs to none.
    - `attributes` stand before the declaration that they belong to, beside it and not in it.
    - `scopes` are functions without a name; what is declared in them is local.
    - `flow` says how control flows.
    - `atoms` are read as one token though they have parts.
    - `exact` tells whether an error in the tree is one in the text. It is not where a preprocessor comes
      first, or where the grammar is behind the language; correct files have errors there.
    - `naming` tells what it imports, calls and declares, and who may see it.
    - `rewritten` is what the grammar does not know, and what says the same in no more bytes; it is tried
      where the tree has errors, and always where a language is not `exact`.
    - `relatives` are endings of files in a dialect that the grammar knows only in part.
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
