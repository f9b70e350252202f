"""What a file alone shows to be without use: imports, local variables, statements that are never reached.

Contract: an import counts as used where its name is read in the definition around it or in one within, is
listed among the exports, or stands in a string that is read as a type. A variable counts as used where its
function, or one within it, reads it. Whether a file brings names in to offer them to others is for the reader
of this to judge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.syntax.record import MODULE, Import, Names, Unused
from holdfast.syntax.symbols import last_line

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.syntax.names import Reading

_WORD = re.compile(r"[^\W\d]\w*")
READ_BY_NAME = frozenset({"locals", "vars", "eval", "exec", "globals"})


def unused(reading: Reading, names: Names) -> tuple[Unused, ...]:
    """Return what is without use, in the order of the lines."""
    kinds = reading.naming.unused
    read = _read_within(names) if kinds & {"import", "variable"} else {}
    rows: set[Unused] = set()
    if "import" in kinds:
        rows.update(_imports(reading, names, read))
    if "variable" in kinds:
        rows.update(_variables(reading, read))
    if "unreachable" in kinds:
        rows.update(_unreachable(reading, names))
    return tuple(sorted(rows, key=lambda row: (row.line, row.kind, row.name)))


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


def _imports(reading: Reading, names: Names, read: dict[int, set[str]]) -> Iterator[Unused]:
    others = {*names.exports, *_quoted(reading)}
    others.update(name for name, mark in reading.naming.implied.items() if mark in reading.source)
    for row in names.imports:
        if not row.alias or row.reexported or row.alias in others or row.alias in read[row.definition]:
            continue
        if not _is_deliberate(reading, row):
            yield Unused("import", row.alias, row.line, row.line, row.definition)


def _is_deliberate(reading: Reading, row: Import) -> bool:
    """Tell whether the line itself says that the import is wanted."""
    return b"noqa" in reading.line(row.line)


def _quoted(reading: Reading) -> set[str]:
    found = set()
    for node in reading.nodes("quoted"):
        found.update(_WORD.findall(reading.text(node)))
    return found


def _variables(reading: Reading, read: dict[int, set[str]]) -> Iterator[Unused]:
    assigned: dict[tuple[int, str], Node] = {}
    for owner, name, node in reading.locals:
        if name in reading.bound[owner] and name not in read[owner] and not name.startswith("_"):
            first = assigned.setdefault((owner, name), node)
            if node.start_byte < first.start_byte:
                assigned[owner, name] = node
    for (owner, name), node in assigned.items():
        if not read[owner] & READ_BY_NAME:
            line = node.start_point[0] + 1
            yield Unused("variable", name, line, line, owner)


def _unreachable(reading: Reading, names: Names) -> Iterator[Unused]:
    for node in (*reading.nodes("dead"), *_after_exits(reading, names)):
        first = _first_dead(reading, node)
        if first is not None:
            last = first.parent.named_children[-1] if first.parent is not None else first
            yield Unused(
                "unreachable",
                "",
                first.start_point[0] + 1,
                last_line(last),
                reading.regions.owner(first.start_byte),
            )


def _after_exits(reading: Reading, names: Names) -> Iterator[Node]:
    """Yield what follows a call that does not come back."""
    if not any(call.callee in reading.naming.exits for call in names.calls):
        return
    for node in reading.nodes("callee"):
        if reading.text(node) in reading.naming.exits and node.parent is not None:
            statement = node.parent.parent
            following = statement.next_named_sibling if statement is not None else None
            if following is not None and statement is not None and statement.type == "expression_statement":
                yield following


def _first_dead(reading: Reading, node: Node) -> Node | None:
    """Return the first statement from here on that is not reached; labels are, and so is what is hoisted."""
    passed = reading.parsed.language.comments | reading.naming.reachable
    found: Node | None = node
    while found is not None and found.type in passed:
        found = found.next_named_sibling
    if (
        found is None
        or found.type.startswith("label")
        or "case" in found.type
        or b"yield" in (found.text or b"")[:5]
    ):
        return None
    return found
