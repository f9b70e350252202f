"""How a language names things: its imports, calls and declarations, and who may see them.

The patterns of a language capture nodes by the part that they play:

- `text` and `docstring`: what stands in a string; that of a docstring is prose.
- `hidden`: a name that is no use, such as that of a declaration, a keyword argument, a label.
- `parameter`, `local`, `bound`: a name that a function declares; a `local` without any use is worth telling.
- `outer`: a name that a function takes from around it by a declaration, such as `global`.
- `import`, `callee`, `decorator`, `base`, `export`, `exported`, `package`: what they say.
- `modifier` belongs to the declaration in which it stands, `section` to those that follow in the same body.
- `dead`: a statement that follows one that does not go on.
- `quoted`: a string that is read as a type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.syntax.record import MODULE, Import

if TYPE_CHECKING:
    from tree_sitter import Node


def _everything(_name: str, _modifiers: frozenset[str], _member: bool) -> bool:
    return True


def _nothing_listed(_node: Node) -> tuple[str, ...]:
    return ()


def _nothing_imported(_node: Node) -> tuple[Import, ...]:
    return ()


def _plain(text: str) -> str:
    return text


@dataclass(frozen=True)
class Naming:
    """The rules of one language.

    - `rare`: patterns that are searched for only where the source has the bytes before them.
    - `identifier`: what a name looks like, as a pattern of `re`; `word` are the characters it has.
    - `arrows`: what stands before the name of a member, besides a dot.
    - `soft`: words of the grammar that are names elsewhere.
    - `exported(name, modifiers, member)`: whether other files may use it. A name captured as `exported` is.
    - `unused`: which kinds of things without use the file alone can show.
    - `exits`: calls that do not come back.
    - `reachable`: statements that count wherever they stand, such as functions that are hoisted.
    - `entry`: a pattern of `re` that shows the file to be made to be run.
    - `implied`: names that the language uses without their being written, where the source has the bytes.
    """

    patterns: str
    rare: tuple[tuple[bytes, str], ...] = ()
    identifier: str = r"[A-Za-z_\x80-\xff][\w\x80-\xff]*+"
    word: str = r"\w\x80-\xff"
    arrows: tuple[bytes, ...] = ()
    soft: frozenset[str] = frozenset()
    imports: Callable[[Node], Iterable[Import]] = _nothing_imported
    exported: Callable[[str, frozenset[str], bool], bool] = _everything
    listed: Callable[[Node], Iterable[str]] = _nothing_listed
    unused: frozenset[str] = frozenset()
    exits: frozenset[str] = frozenset()
    reachable: frozenset[str] = frozenset()
    entry: str | None = None
    implied: Mapping[str, bytes] = field(default_factory=dict)
    definition_name: Callable[[str], str] = _plain


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
