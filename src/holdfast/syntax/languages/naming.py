"""The naming rules of a language: imports, calls, declarations and visibility.

The patterns of a language capture nodes under these names:

- `text` and `docstring`: the content of a string; that of a docstring is prose.
- `hidden`: a name that is not a use, such as that of a declaration, a keyword argument or a label.
- `parameter`, `local`, `bound`: a name that a function declares; an unused `local` is reported.
- `kept`: a `local` that has an effect even if nothing reads it.
- `outer`: a name declared to belong to an enclosing scope, as by `global`.
- `import` and `required`: an import, as a statement or as an expression.
- `callee`: a called expression; `invocation`: a call whose callee has no node of its own.
- `decorator`, `base`, `package`: a decorator, a base type, the declared package.
- `export`: an export list; `exported`: the name of an exported declaration.
- `modifier`: applies to the enclosing declaration; `section`: to those that follow in the same body.
- `concealed`: a name that is declared private elsewhere.
- `exit`: a call that never returns, in languages with `calls_in_text`.
- `dead`: the statement after a jump such as `return`.
- `quoted`: text that counts as code when unused names are searched: a string that is a type, a macro.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.record import MODULE, Definition, ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node


class DeclarationContext(NamedTuple):
    """What decides the visibility of a declaration: its name, modifiers and enclosing definition."""

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
"""Words that are no identifiers in any language; each language reserves some of them."""


def not_private(context: DeclarationContext) -> bool:
    """Return whether a declaration is visible to other files: unless it is declared private."""
    return "private" not in context.modifiers


def _everyone(_standing: DeclarationContext) -> bool:
    return True


def _none(_node: Node) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Naming:
    """The naming rules of one language.

    - `rare`: pairs of bytes and patterns; the patterns are queried only if the source contains the bytes.
    - `characters`: characters of names besides letters, digits and `_`; quotes if strings have prefixes.
    - `spaced`: replacements of equal length, applied before the text is split into tokens.
    - `arrows`: member operators besides the dot.
    - `reserved`: words that are no identifiers in this language, besides `RESERVED`.
    - `interpolated`: a regular expression whose first group is a name in a string, if it has no node.
    - `invoked`: the field of a captured `invocation` where the callee ends.
    - `exported`: whether a declaration is visible to other files. A name captured as `exported` always is.
    - `unused`: the kinds of unused code that can be found in this language from one file alone.
    - `exits`: calls that never return.
    - `reachable`: statements that take effect even after a jump, such as hoisted functions.
    - `entry`: a regular expression that identifies an entry point; tried if the source contains the bytes.
    - `calls_in_text`: a name before a parenthesis is a call, one before an equals sign is not a use.
    - `documented`: a name in a doc comment, `/** … */`, counts as a use of its import.
    - `extensions`: an import may be used as a member, as extension functions are.
    - `implied`: names that the language uses implicitly if the source contains the bytes.
    """

    patterns: str
    rare: tuple[tuple[bytes, str], ...] = ()
    characters: bytes = b""
    spaced: tuple[tuple[bytes, bytes], ...] = ()
    arrows: tuple[bytes, ...] = ()
    reserved: frozenset[str] = CONSTANTS
    interpolated: bytes | None = None
    invoked: str = "name"
    imports: Callable[[Node], Iterable[ImportedName]] = _none
    exported: Callable[[DeclarationContext], bool] = _everyone
    listed: Callable[[Node], Iterable[str]] = _none
    unused: frozenset[str] = frozenset()
    exits: frozenset[str] = frozenset()
    reachable: frozenset[str] = frozenset()
    entry: tuple[bytes, bytes] = (b"#!", rb"\A#!")
    calls_in_text: bool = False
    documented: bool = False
    extensions: bool = False
    implied: Mapping[str, bytes] = field(default_factory=dict)
    definition_name: Callable[[str], str] = str


NO_NAMING = Naming("")


def imported(
    node: Node,
    module: str,
    name: str = "",
    alias: str = "",
    reexported: bool = False,
    typing_only: bool = False,
) -> ImportedName:
    """Return the row of an import; the caller sets its level and enclosing definition."""
    return ImportedName(module, name, alias, node.start_point[0] + 1, 0, MODULE, reexported, typing_only)
