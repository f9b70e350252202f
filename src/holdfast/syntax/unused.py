"""What a file alone shows to be without use: imports, local variables, statements that are never reached.

Contract: an import counts as used where its name is read in the definition around it or in one within, is
listed among the exports, or stands in a string that is read as a type. A variable counts as used where its
function, or one within it, reads it. Whether a file brings names in to offer them to others is for the reader
of this to judge. Where the parser had to skip a part, nothing around it is told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.facts import BLOCKS
from holdfast.syntax.record import MODULE, Import, Names, Unused
from holdfast.syntax.symbols import last_line
from holdfast.syntax.uses import keywords

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.syntax.names import Reading

_WORD = re.compile(r"[^\W\d]\w*")
READ_BY_NAME = frozenset(
    {
        *("locals", "vars", "eval", "exec", "globals", "binding", "compact", "extract", "get_defined_vars"),
        *("include", "include_once", "require_once"),
    }
)
"""What reads variables by names that do not stand there; what PHP includes sees those around it."""

MEANT = ("_", "`", "unused", "ignore")
"""How names begin that say of themselves that nothing reads them."""

_LABEL = re.compile(rb"(?m)^\s*\w+\s*:(?!:)")
CALLS = frozenset({"call", "call_expression", "invocation_expression", "command", "macro_invocation"})


def unused(reading: Reading, names: Names) -> tuple[Unused, ...]:
    """Return what is without use, in the order of the lines."""
    kinds = reading.naming.unused
    read, quoted = (_read_within(names), _quoted(reading)) if kinds & {"import", "variable"} else ({}, set())
    rows: set[Unused] = set()
    if "import" in kinds and not reading.parsed.problems:
        rows.update(_imports(reading, names, read, quoted))
    if "variable" in kinds:
        rows.update(_variables(reading, read, quoted))
    if "unreachable" in kinds:
        rows.update(_unreachable(reading))
    return tuple(sorted(rows, key=lambda row: (row.line, row)))


def _read_within(names: Names) -> dict[int, set[str]]:
    """Return the names read in each definition and those within it."""
    read: dict[int, set[str]] = defaultdict(set)
    for uses in names.uses:
        owner = uses.definition
        while owner != MODULE:
            read[owner].update(uses.names)
            owner = names.definitions[owner].container
        read[MODULE].update(uses.names)
    return read


def _imports(reading: Reading, names: Names, read: dict[int, set[str]], quoted: set[str]) -> Iterator[Unused]:
    others = {*names.exports, *quoted}
    if reading.naming.extensions:
        others.update(name for uses in names.uses for name in uses.attributes)
    others.update(name for name, mark in reading.naming.implied.items() if mark in reading.source)
    bound = Counter((row.definition, row.alias) for row in names.imports)
    bound.update((row.container, row.name) for row in names.definitions)
    bound_again = {place for place, times in bound.items() if times > 1}
    for row in names.imports:
        if row.definition != MODULE and row.definition not in reading.functions:
            continue  # in a class it is an attribute
        if not row.alias or row.reexported or row.alias in others or row.alias in read[row.definition]:
            continue
        if not _is_deliberate(reading, row, bound_again):
            yield Unused("import", row.alias, row.line, row.line, row.definition)


def _is_deliberate(reading: Reading, row: Import, bound_again: set[tuple[int, str]]) -> bool:
    """Tell whether the line says that the import is wanted, or it is one of two ways to get the name."""
    line = reading.lines[row.line - 1]
    return b"noqa" in line.lower() or (line[:1].isspace() and (row.definition, row.alias) in bound_again)


def _quoted(reading: Reading) -> set[str]:
    """Return the names in strings that are read as types, and in documentation where that counts."""
    found: set[str] = set()
    for node in reading.nodes("quoted"):
        found.update(_WORD.findall(reading.text(node)))
    for _start, piece in reading.texts:
        if b"[" in piece:  # a type within a type
            found.update(_WORD.findall(piece.decode("utf-8", "replace")))
    if reading.naming.documented:
        for node in reading.nodes("comment"):
            text = reading.text(node)
            if text.startswith("/**"):
                found.update(_WORD.findall(text))
    return found


def _variables(reading: Reading, read: dict[int, set[str]], quoted: set[str]) -> Iterator[Unused]:
    assigned: dict[tuple[int, str], Node] = {}
    words = keywords(reading.parsed.language)
    for owner, name, node in reading.locals:
        if (
            (owner, name) in reading.parameters
            or name in quoted
            or name.lower().lstrip("$").startswith(MEANT)
        ):
            continue
        if name in reading.bound[owner] and name not in read[owner] and name not in words:
            first = assigned.setdefault((owner, name), node)
            if node.start_byte < first.start_byte:
                assigned[owner, name] = node
    for (owner, name), node in assigned.items():
        line = node.start_point[0] + 1
        whole = not reading.declared[owner].node.has_error
        if whole and not read[owner] & READ_BY_NAME and b"noqa" not in reading.lines[line - 1].lower():
            yield Unused("variable", name, line, line, owner)


def _unreachable(reading: Reading) -> Iterator[Unused]:
    for node in (*reading.nodes("dead"), *_after_exits(reading)):
        first = _first_dead(reading, node)
        if first is not None:
            owner = reading.regions.owner(first.start_byte)
            line = first.start_point[0] + 1
            yield Unused("unreachable", "", line, last_line(_last_dead(reading, first)), owner)


def _after_exits(reading: Reading) -> Iterator[Node]:
    """Yield what follows a call that does not come back, where the call is a statement of its own."""
    for node in (*reading.exits, *reading.nodes("exit")):
        statement: Node | None = node
        for _ in range(3):
            parent = statement.parent if statement is not None else None
            if statement is None or parent is None:
                break
            if parent.type in BLOCKS:
                following, before = statement.next_named_sibling, statement.prev_named_sibling
                alternative = before is not None and before.type == "redirected_statement"  # `cat <<E ||`
                if following is not None and not alternative:
                    yield following
                break
            if parent.type not in CALLS and not parent.type.endswith("expression_statement"):
                break
            statement = parent


def _first_dead(reading: Reading, node: Node) -> Node | None:
    """Return the first statement from here on that is not reached; labels are, and so is what is hoisted."""
    passed = reading.parsed.language.comments | reading.naming.reachable
    before, block = node.prev_named_sibling, node.parent
    if (before is not None and _is_conditional(reading, before)) or (block is not None and block.has_error):
        return None
    found: Node | None = node
    while found is not None and found.type in passed:
        found = found.next_named_sibling
    text = found.text or b"" if found is not None else b""
    if found is None or _is_reached(found) or text.startswith(b"yield"):
        return None  # a function whose only `yield` is never reached is meant to be a generator
    return None if b"goto" in reading.source and _LABEL.search(text) else found


def _last_dead(reading: Reading, first: Node) -> Node:
    """Return the last statement before a label, or before the end of the block."""
    last, following = first, first.next_named_sibling
    while following is not None and not _is_reached(following):
        if following.type not in reading.parsed.language.comments:
            last = following
        following = following.next_named_sibling
    return last


def _is_reached(node: Node) -> bool:
    return any(part in node.type for part in ("label", "case", "preproc", "directive", "heredoc"))


def _is_conditional(reading: Reading, node: Node) -> bool:
    """Tell whether a statement has an attribute before it, which may leave it out: `#[cfg(unix)] return;`."""
    attribute = node.prev_named_sibling
    return attribute is not None and attribute.type in reading.parsed.language.attributes
