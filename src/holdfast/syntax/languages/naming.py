"""The naming rules of a language: imports, calls, declarations and visibility.

The patterns of a language capture nodes under these names:

- `text`: the content of a string. `docstring`: the content of a docstring, which is prose.
- `hidden`: a name that is not a use, such as the name of a declaration, a keyword argument or a label.
- `parameter`, `local`, `bound`: a name that a function declares; an unused `local` is reported.
- `kept`: a `local` that has an effect even if it is never read.
- `outer`: a name declared to belong to an enclosing scope, as by `global`.
- `import` and `required`: an import, as a statement or as an expression.
- `callee`: a called expression. `invocation`: a call whose callee is not a single node.
- `observer`: an annotation of a parameter by which a container calls the method, as `@Observes`.
- `decorator`, `base`, `package`: a decorator, a base type, the declared package.
- `export`: an export list. `exported`: the name of an exported declaration.
- `modifier`: applies to the enclosing declaration. `section`: applies to the declarations after it in the
  same body.
- `concealed`: a name that is declared private elsewhere.
- `exit`: a call that never returns, in languages with `calls_in_text`.
- `dead`: the statement after a jump such as `return`.
- `outside`: code that runs when the definition around it is defined, not when it is called.
- `ambient`: a block of declarations that augment what other files declare.
- `quoted`: text that is treated as code in the search for unused names: a string that is a type, a macro.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.record import MODULE, Definition, ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


class DeclarationContext(NamedTuple):
    """The properties of a declaration that decide whether other files can use it."""

    name: str
    kind: str
    modifiers: frozenset[str]
    enclosing: Definition | None


CONSTANTS = frozenset({"true", "false", "null"})
RESERVED = frozenset(
    {
        *("and", "as", "await", "begin", "break", "catch", "class", "const", "continue", "def"),
        *("defer", "del", "delete", "do", "done", "elif", "else", "elseif", "elsif", "ensure", "enum"),
        *("esac", "except", "explicit", "export", "extends", "extern", "fi", "finally", "fn", "for"),
        *("foreach", "fun", "func", "function", "goto", "guard", "if", "impl", "implements", "import"),
        *("in", "inline", "instanceof", "int", "interface", "lambda", "let", "long", "mod", "new"),
        *("nonlocal", "not", "or", "package", "pass", "private", "protected", "protocol", "pub"),
        *("public", "raise", "rescue", "return", "short", "static", "struct", "switch", "synchronized"),
        *("template", "then", "throw", "throws", "trait", "try", "typedef", "typename", "typeof"),
        *("unless", "unsigned", "until", "use", "using", "val", "var", "virtual", "void", "volatile"),
        *("while", "with", "yield"),
    }
)
"""Words that are reserved in some language. A language reserves those that its grammar has as tokens."""


def is_not_private(context: DeclarationContext) -> bool:
    """Return whether a declaration is visible to other files, which it is unless it is private."""
    return "private" not in context.modifiers


def _always_exported(_context: DeclarationContext) -> bool:
    return True


def _no_names(_node: Node) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Naming:
    """The naming rules of one language.

    - `patterns`: query patterns with the capture names above.
    - `conditional_patterns`: pairs of bytes and patterns, which are queried only if the source has the bytes.
    - `name_characters`: characters of names besides letters, digits and `_`; quotes if strings have prefixes.
    - `replacements`: pairs of equal length, replaced before the text is split into tokens.
    - `member_operators`: member operators besides the dot.
    - `reserved`: words that are not identifiers in this language, besides `RESERVED`.
    - `interpolated_name`: a regular expression whose first group is a name in a string, if it has no node.
    - `callee_field`: the field of a captured `invocation` where the callee ends.
    - `read_imports`: returns the names that a captured import binds.
    - `is_exported`: whether a declaration is visible to other files. A name captured as `exported` always is.
    - `read_exports`: returns the names in a captured export list.
    - `unused`: the kinds of unused code that can be found in this language from one file alone.
    - `exits`: calls that never return.
    - `reachable`: statements that take effect even after a jump, such as hoisted functions.
    - `entry_point`: bytes, and a regular expression that identifies an entry point in a source that has them.
    - `calls_in_text`: a name before a parenthesis is a call, and a name before an equals sign is not a use.
    - `counts_doc_comments`: a name in a doc comment, `/** … */`, counts as a use of its import.
    - `has_extension_functions`: an imported name may be used as a member, as extension functions are.
    - `implicit_uses`: names that the language uses implicitly in a source that has the bytes they map to.
    - `definition_name`: converts the name of a definition in the source to the name under which it is used.
    """

    patterns: str
    conditional_patterns: tuple[tuple[bytes, str], ...] = ()
    name_characters: bytes = b""
    replacements: tuple[tuple[bytes, bytes], ...] = ()
    member_operators: tuple[bytes, ...] = ()
    reserved: frozenset[str] = CONSTANTS
    interpolated_name: bytes | None = None
    callee_field: str = "name"
    read_imports: Callable[[Node], Iterable[ImportedName]] = _no_names
    is_exported: Callable[[DeclarationContext], bool] = _always_exported
    read_exports: Callable[[Node], Iterable[str]] = _no_names
    unused: frozenset[str] = frozenset()
    exits: frozenset[str] = frozenset()
    reachable: frozenset[str] = frozenset()
    entry_point: tuple[bytes, bytes] = (b"#!", rb"\A#!")
    calls_in_text: bool = False
    counts_doc_comments: bool = False
    has_extension_functions: bool = False
    implicit_uses: Mapping[str, bytes] = field(default_factory=dict)
    definition_name: Callable[[str], str] = str


def import_row(
    node: Node,
    module: str,
    name: str = "",
    alias: str = "",
    reexported: bool = False,
    typing_only: bool = False,
) -> ImportedName:
    """Return one imported name, outside definitions and at level 0; the caller changes that where needed."""
    return ImportedName(module, name, alias, node.start_point[0] + 1, 0, MODULE, reexported, typing_only)
