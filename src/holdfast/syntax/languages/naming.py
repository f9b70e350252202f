"""How a language names things: its imports, calls and declarations, and who may see them.

The patterns of a language capture nodes by the part that they play:

- `text` and `docstring`: what stands in a string; that of a docstring is prose.
- `hidden`: a name that is no use, such as that of a declaration, a keyword argument, a label.
- `parameter`, `local`, `bound`: a name that a function declares; a `local` without any use is worth telling.
- `kept`: a `local` that matters though nothing reads it.
- `outer`: a name that a function takes from around it by a declaration, such as `global`.
- `import` and `required`: what brings something in, as a statement or as an expression.
- `callee`: what is called; `invocation`: a call whose callee has no node of its own.
- `decorator`, `base`, `export`, `exported`, `package`: what they say.
- `modifier` belongs to the declaration in which it stands, `section` to those that follow in the same body.
- `concealed`: a name that is declared private elsewhere.
- `exit`: what is called and does not come back, where calls are read off the text.
- `dead`: a statement that follows one that does not go on.
- `quoted`: text that counts as code for what is unused: a string that is read as a type, a macro.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from holdfast.syntax.record import MODULE, Definition, Import

if TYPE_CHECKING:
    from tree_sitter import Node


class Standing(NamedTuple):
    """What decides who may see a declaration: its words before the name, and what it stands in."""

    name: str
    kind: str
    modifiers: frozenset[str]
    around: Definition | None


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
"""Words that no language has for names; each has some of them."""


def not_private(standing: Standing) -> bool:
    """Tell that other files may use what does not say that they may not."""
    return "private" not in standing.modifiers


def _everyone(_standing: Standing) -> bool:
    return True


def _none(_node: Node) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Naming:
    """The rules of one language.

    - `rare`: patterns that are searched for only where the source has the bytes before them.
    - `characters`: what names have besides letters, digits and `_`; quotes where strings have prefixes.
    - `spaced`: what is replaced, in the same length, before names are told apart.
    - `arrows`: what stands before the name of a member, besides a dot.
    - `reserved`: words that are no names in this language, besides `RESERVED`.
    - `interpolated`: a pattern of `re` whose first group is a name within a string, where that is no node.
    - `invoked`: the field of a captured `invocation` at which what is called ends.
    - `exported`: whether other files may use a declaration. A name captured as `exported` is.
    - `unused`: which kinds of things without use the file alone can show.
    - `exits`: calls that do not come back.
    - `reachable`: statements that count wherever they stand, such as functions that are hoisted.
    - `entry`: bytes, and a pattern of `re` to try where they are, that show the file to be made to be run.
    - `calls_in_text`: a name before a parenthesis is a call, one before an equals sign no use.
    - `documented`: a name in a documentation comment, `/** … */`, keeps its import.
    - `extensions`: an import may be used as a member of something else.
    - `implied`: names that the language uses without their being written, where the source has the bytes.
    """

    patterns: str
    rare: tuple[tuple[bytes, str], ...] = ()
    characters: bytes = b""
    spaced: tuple[tuple[bytes, bytes], ...] = ()
    arrows: tuple[bytes, ...] = ()
    reserved: frozenset[str] = CONSTANTS
    interpolated: bytes | None = None
    invoked: str = "name"
    imports: Callable[[Node], Iterable[Import]] = _none
    exported: Callable[[Standing], bool] = _everyone
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
) -> Import:
    """Make the row of an import; its level and the definition in which it stands are told by others."""
    return Import(module, name, alias, node.start_point[0] + 1, 0, MODULE, reexported, typing_only)
