"""Unused imports and local variables, and unreachable statements, as far as one file alone shows them.

Contract: an import is used if its name is read in the enclosing definition or in one nested in it, is
exported, or occurs in a string that is a type annotation. A variable is used if its function, or one nested
in it, reads it. Whether a file imports names only to re-export them is for the caller to decide. Nothing is
reported around syntax errors.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.facts import BLOCKS
from holdfast.syntax.record import MODULE, ImportedName, Names, Unused
from holdfast.syntax.symbols import last_line
from holdfast.syntax.uses import keywords

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.syntax.names import NameReader

_WORD = re.compile(r"[^\W\d]\w*")
READ_BY_NAME = frozenset(
    {
        *("locals", "vars", "eval", "exec", "globals", "binding", "compact", "extract", "get_defined_vars"),
        *("include", "include_once", "require_once"),
    }
)
"""Functions that read variables by name at run time; a file that PHP includes sees the including scope."""

MEANT = ("_", "`", "unused", "ignore")
"""Prefixes of names that are deliberately unused."""

_LABEL = re.compile(rb"(?m)^\s*\w+\s*:(?!:)")
CALLS = frozenset({"call", "call_expression", "invocation_expression", "command", "macro_invocation"})


def unused(reader: NameReader, names: Names) -> tuple[Unused, ...]:
    """Return what is unused or unreachable, by line."""
    kinds = reader.naming.unused
    read, quoted = (_read_within(names), _quoted(reader)) if kinds & {"import", "variable"} else ({}, set())
    rows: set[Unused] = set()
    if "import" in kinds and not reader.parsed.problems:
        rows.update(_imports(reader, names, read, quoted))
    if "variable" in kinds:
        rows.update(_variables(reader, read, quoted))
    if "unreachable" in kinds:
        rows.update(_unreachable(reader))
    return tuple(sorted(rows, key=lambda row: (row.line, row)))


def _read_within(names: Names) -> dict[int, set[str]]:
    """Return the names read in each definition, including those nested in it."""
    read: dict[int, set[str]] = defaultdict(set)
    for uses in names.uses:
        owner = uses.definition
        while owner != MODULE:
            read[owner].update(uses.names)
            owner = names.definitions[owner].container
        read[MODULE].update(uses.names)
    return read


def _imports(
    reader: NameReader, names: Names, read: dict[int, set[str]], quoted: set[str]
) -> Iterator[Unused]:
    others = {*names.exports, *quoted}
    if reader.naming.extensions:
        others.update(name for uses in names.uses for name in uses.attributes)
    others.update(name for name, mark in reader.naming.implied.items() if mark in reader.source)
    bound = Counter((row.definition, row.alias) for row in names.imports)
    bound.update((row.container, row.name) for row in names.definitions)
    bound_twice = {place for place, times in bound.items() if times > 1}
    for row in names.imports:
        if row.definition != MODULE and row.definition not in reader.functions:
            continue  # in a class it is an attribute
        if not row.alias or row.reexported or row.alias in others or row.alias in read[row.definition]:
            continue
        if not _is_deliberate(reader, row, bound_twice):
            yield Unused("import", row.alias, row.line, row.line, row.definition)


def _is_deliberate(reader: NameReader, row: ImportedName, bound_twice: set[tuple[int, str]]) -> bool:
    """Return whether the import is marked `noqa`, or is one of two alternatives for the same name."""
    line = reader.lines[row.line - 1]
    return b"noqa" in line.lower() or (line[:1].isspace() and (row.definition, row.alias) in bound_twice)


def _quoted(reader: NameReader) -> set[str]:
    """Return the names in strings that are types, and in doc comments if the language counts those."""
    found: set[str] = set()
    for node in reader.nodes("quoted"):
        found.update(_WORD.findall(reader.text(node)))
    for _start, piece in reader.texts:
        if b"[" in piece:  # a type within a type
            found.update(_WORD.findall(piece.decode("utf-8", "replace")))
    if reader.naming.documented:
        for node in reader.nodes("comment"):
            text = reader.text(node)
            if text.startswith("/**"):
                found.update(_WORD.findall(text))
    return found


def _variables(reader: NameReader, read: dict[int, set[str]], quoted: set[str]) -> Iterator[Unused]:
    assigned: dict[tuple[int, str], Node] = {}
    words = keywords(reader.parsed.language)
    for owner, name, node in reader.locals:
        if (owner, name) in reader.parameters or name in quoted or name.lower().lstrip("$").startswith(MEANT):
            continue
        if name in reader.bound[owner] and name not in read[owner] and name not in words:
            first = assigned.setdefault((owner, name), node)
            if node.start_byte < first.start_byte:
                assigned[owner, name] = node
    for (owner, name), node in assigned.items():
        line = node.start_point[0] + 1
        whole = not reader.declared[owner].node.has_error
        if whole and not read[owner] & READ_BY_NAME and b"noqa" not in reader.lines[line - 1].lower():
            yield Unused("variable", name, line, line, owner)


def _unreachable(reader: NameReader) -> Iterator[Unused]:
    for node in (*reader.nodes("dead"), *_after_exits(reader)):
        first = _first_dead(reader, node)
        if first is not None:
            owner = reader.regions.owner(first.start_byte)
            line = first.start_point[0] + 1
            yield Unused("unreachable", "", line, last_line(_last_dead(reader, first)), owner)


def _after_exits(reader: NameReader) -> Iterator[Node]:
    """Yield the statement after each call that never returns, if the call is a statement of its own."""
    for node in (*reader.exits, *reader.nodes("exit")):
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


def _first_dead(reader: NameReader, node: Node) -> Node | None:
    """Return the first unreachable statement from here on; labels and hoisted declarations are reachable."""
    passed = reader.parsed.language.comments | reader.naming.reachable
    before, block = node.prev_named_sibling, node.parent
    if (before is not None and _is_conditional(reader, before)) or (block is not None and block.has_error):
        return None
    found: Node | None = node
    while found is not None and found.type in passed:
        found = found.next_named_sibling
    text = found.text or b"" if found is not None else b""
    if found is None or _is_reached(found) or text.startswith(b"yield"):
        return None  # an unreachable `yield` makes the function a generator
    return None if b"goto" in reader.source and _LABEL.search(text) else found


def _last_dead(reader: NameReader, first: Node) -> Node:
    """Return the last statement before the next label or the end of the block."""
    last, following = first, first.next_named_sibling
    while following is not None and not _is_reached(following):
        if following.type not in reader.parsed.language.comments:
            last = following
        following = following.next_named_sibling
    return last


def _is_reached(node: Node) -> bool:
    return any(part in node.type for part in ("label", "case", "preproc", "directive", "heredoc"))


def _is_conditional(reader: NameReader, node: Node) -> bool:
    """Return whether an attribute may compile the statement out: `#[cfg(unix)] return;`."""
    attribute = node.prev_named_sibling
    return attribute is not None and attribute.type in reader.parsed.language.attributes
