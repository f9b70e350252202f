"""The tables that describe a language: how to detect it, its grammar, and what the grammar's nodes mean.

Each module beside this one fills in the tables for one language, or a family of languages. Code that reads
syntax trees uses the tables and does not depend on the name of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.syntax.languages.naming import Naming
from holdfast.syntax.languages.nodes import Names, name_field

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Declaration:
    """A node type that declares a symbol.

    - `node`: the type of the node.
    - `kind`: an LSP SymbolKind, or a function that returns one; None if the node declares no symbol.
    - `names`: returns the qualified name.
    - `pattern`: a query pattern, if not all nodes of the type are declarations.
    - `closures`: a query pattern for nodes that declare a symbol even inside functions, where other nodes of
      the type are local variables; empty if all are.
    - `constructor`: the name of functions that are constructors.
    - `parts`: returns the nodes for the single names, if a node declares several: `int alpha, beta;`. Then
      `kind` and `names` are asked about each part; a part without children is the name itself.
    """

    node: str
    kind: str | Callable[[Node], str | None]
    names: Callable[[Node], Names] = name_field
    pattern: str | None = None
    closures: str | None = None
    constructor: str | None = None
    parts: Callable[[Node], Sequence[Node]] | None = None

    @property
    def query(self) -> str:
        """The tree-sitter query pattern for these nodes."""
        if self.closures is not None:
            closures = f"{self.closures} @declaration" if self.closures else ""
            return f"({self.node}) @variable {closures}"
        return f"{self.pattern or f'({self.node})'} @declaration"


@dataclass(frozen=True)
class Flow:
    """How the complexity of functions is counted in a language.

    - `patterns`: query patterns that capture nodes by their effect on control flow. `control_flow.py`
      documents the capture names.
    - `operators`: the keywords that are Halstead operators; other words are operands.
    - `string_styles`, `comment_style`, `import_style`: the names of the patterns for literals and comments in
      `halstead.py` and for imports in `lexer.py`.
    - `counts_inner_functions`: cyclomatic complexity includes the branches of named inner functions, plus one
      for each function.
    - `counts_inner_branches`: cyclomatic complexity, plain and extended, includes the branches of named inner
      functions.
    - `excludes_inner_functions`: cognitive complexity does not include inner functions.
    - `parentheses`: whether a sequence of operators continues inside parentheses: `all`, `none`, or `like` if
      the operators on both sides are the same.
    - `logical`: operators that form sequences. `coalescing`: operators that form none, and count in extended
      complexity only.
    - `uncounted`: logical operators whose sequences do not count.
    - `has_implicit_receiver`: a method may call another one without naming the object.
    """

    patterns: str
    operators: str
    string_styles: tuple[str, ...] = ("double", "single")
    comment_style: str = "slashes"
    import_style: str = "import"
    counts_inner_functions: bool = False
    counts_inner_branches: bool = False
    excludes_inner_functions: bool = False
    parentheses: str = "like"
    logical: frozenset[str] = frozenset({"&&", "||"})
    coalescing: frozenset[str] = frozenset()
    uncounted: frozenset[str] = frozenset()
    has_implicit_receiver: bool = True


@dataclass(frozen=True)
class Language:
    """One language.

    - `name`: also its name after the opening fence of a Markdown code block.
    - `grammar`: the module of its tree-sitter grammar, and the function there that returns it.
    - `wrappers`: types of nodes that belong to the declaration inside them (decorators, `export`,
      `template <…>`). Each is mapped to the field of the declaration, or to the types of the declaration
      joined by `|`; it is ignored if several children match.
    - `attributes`: nodes that precede the declaration they belong to, as siblings.
    - `scopes`: anonymous functions; declarations inside them are local.
    - `atoms`: nodes that are one token although they have children.
    - `has_exact_grammar`: whether a parse error always is a syntax error. It is not if there is a
      preprocessor or the grammar lags behind the language: then correct files have parse errors too.
    - `rewrites`: pairs of a pattern for syntax that the grammar does not know, and an equivalent that is not
      longer. They are applied if the tree has errors, and always without an exact grammar.
    - `dialects`: endings of file names in dialects that the grammar supports only in part.
    - `flow`: how complexity is counted. `naming`: imports, calls, declarations and visibility.
    """

    name: str
    grammar: tuple[str, str]
    extensions: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    flow: Flow
    naming: Naming
    comments: frozenset[str] = frozenset({"comment"})
    filenames: frozenset[str] = frozenset()
    interpreters: frozenset[str] = frozenset()
    wrappers: Mapping[str, str] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    atoms: frozenset[str] = frozenset()
    has_exact_grammar: bool = True
    dialects: tuple[str, ...] = ()
    rewrites: tuple[tuple[bytes, bytes], ...] = ()

    def __hash__(self) -> int:
        return hash(self.name)

    def can_judge_syntax(self, path: str, has_symbols: bool) -> bool:
        """Return whether a parse error in a file is a syntax error; an outdated grammar may be to blame.

        Without an exact grammar it is one only if no symbol was found in the file, and it is in no dialect.
        """
        return self.has_exact_grammar or not (has_symbols or path.endswith(self.dialects))
