"""Finds unused imports and local variables, and unreachable statements, without reading other files.

Contract: an import is used if its name is read in the enclosing definition or in one nested in it, is
exported, or occurs in a string that is a type annotation. A variable is used if its function, or one nested
in it, reads it. Whether a file imports names only to re-export them is for the caller to decide. Nothing is
reported near syntax errors.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.syntax.facts import BLOCKS
from holdfast.syntax.record import MODULE, ImportedName, Names, Unused
from holdfast.syntax.symbols import last_line
from holdfast.syntax.uses import keywords

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.syntax.names import NameReader

_WORD = re.compile(r"[^\W\d]\w*")
DYNAMIC_READERS = frozenset(
    {
        *("locals", "vars", "eval", "exec", "globals", "binding", "compact", "extract", "get_defined_vars"),
        *("include", "include_once", "require_once"),
    }
)
"""Functions that read variables by name at run time. A file that PHP includes reads those of its includer."""

_DELIBERATE = re.compile(r"[\$]*(?:_|`|unused|ignore)|\w*(?:unused|ignored)", re.IGNORECASE)
"""Matches the start of names that are deliberately unused, such as `_x`, `ignored` and `possiblyUnused`."""

_LEAVES = re.compile("return|throw|raise|break|continue")
_LABEL = re.compile(rb"(?m)^\s*\w+\s*:(?!:)")
_MAX_STATEMENT_DEPTH = 3
"""How many nodes from a call up to its statement are checked; the grammars in use have one or two."""
CALLS = frozenset({"call", "call_expression", "invocation_expression", "command", "macro_invocation"})


def find_unused(reader: NameReader, names: Names, exits: Sequence[Node]) -> tuple[Unused, ...]:
    """Return the unused names and unreachable statements, by line; `exits` are calls that never return."""
    kinds = reader.naming.unused
    names_read: dict[int, set[str]] = {}
    names_in_types: set[str] = set()
    if kinds & {"import", "variable"}:
        names_read, names_in_types = _names_read(names), _names_in_types(reader)
    rows: set[Unused] = set()
    if "import" in kinds and not reader.parsed.problems:
        rows.update(_unused_imports(reader, names, names_read, names_in_types))
    if "variable" in kinds:
        rows.update(_unused_variables(reader, names_read, names_in_types))
    if "unreachable" in kinds:
        rows.update(_unreachable_statements(reader, exits))
    return tuple(sorted(rows, key=lambda row: (row.line, row)))


def _names_read(names: Names) -> dict[int, set[str]]:
    """Return the names read in each definition, including those nested in it."""
    names_read: dict[int, set[str]] = defaultdict(set)
    for uses in names.uses:
        owner = uses.definition
        while owner != MODULE:
            names_read[owner].update(uses.names)
            owner = names.definitions[owner].container
        names_read[MODULE].update(uses.names)
    return names_read


def _unused_imports(
    reader: NameReader, names: Names, names_read: dict[int, set[str]], names_in_types: set[str]
) -> Iterator[Unused]:
    used_anywhere = {*names.exports, *names_in_types}
    if reader.naming.has_extension_functions:
        used_anywhere.update(name for uses in names.uses for name in uses.attributes)
    used_anywhere |= _implicitly_used(reader)
    bindings = Counter((row.definition, row.alias) for row in names.imports)
    bindings.update((row.container, row.name) for row in names.definitions)
    bound_twice = {binding for binding, times in bindings.items() if times > 1}
    for row in names.imports:
        if row.definition != MODULE and row.definition not in reader.functions:
            continue  # an import in a class is an attribute
        if not row.alias or row.reexported:
            continue
        if row.alias in used_anywhere or row.alias in names_read[row.definition]:
            continue
        if not _is_deliberate(reader, row, bound_twice):
            yield Unused("import", row.alias, row.line, row.line, row.definition)


def _implicitly_used(reader: NameReader) -> set[str]:
    return {name for name, trigger in reader.naming.implicit_uses.items() if trigger in reader.source}


def _is_deliberate(reader: NameReader, row: ImportedName, bound_twice: set[tuple[int, str]]) -> bool:
    """Return whether an import is marked `noqa`, is one of several for its name, or tries what is there."""
    line = reader.lines[row.line - 1]
    is_alternative = line[:1].isspace() and (row.definition, row.alias) in bound_twice
    return b"noqa" in line.lower() or is_alternative or _is_tried(reader.lines, row.line - 1)


def _is_tried(lines: Sequence[bytes], at: int) -> bool:
    """Return whether Python code tries an import and does something, depending on whether it works."""
    margin = len(lines[at]) - len(lines[at].lstrip())
    outer = (
        line.strip()
        for line in reversed(lines[:at])
        if line.strip() and len(line) - len(line.lstrip()) < margin
    )
    if next(outer, b"") != b"try:":
        return False
    in_except = False
    for line in lines[at + 1 :]:
        text, inset = line.strip(), len(line) - len(line.lstrip())
        if in_except and text:
            return text != b"pass"
        if inset == margin and not text.startswith((b"import ", b"from ", b")", b"#")):
            return bool(text)
        in_except = inset < margin and text.startswith(b"except")
    return False


def _names_in_types(reader: NameReader) -> set[str]:
    """Return the names in strings that are types, and in doc comments if they count as uses."""
    names: set[str] = set()
    for node in reader.nodes("quoted"):
        names.update(_WORD.findall(reader.text(node)))
    if b"# type:" in reader.source:
        for node in reader.nodes("comment"):
            text = reader.text(node)
            if text.startswith("# type:"):
                names.update(_WORD.findall(text))
    for _start, piece in reader.strings:
        if b"[" in piece:  # a type in a string inside another type
            names.update(_WORD.findall(piece.decode("utf-8", "replace")))
    if reader.naming.counts_doc_comments:
        for node in reader.nodes("comment"):
            text = reader.text(node)
            if text.startswith("/**"):
                names.update(_WORD.findall(text))
    return names


def _unused_variables(
    reader: NameReader, names_read: dict[int, set[str]], names_in_types: set[str]
) -> Iterator[Unused]:
    first_assignments: dict[tuple[int, str], Node] = {}
    reserved = keywords(reader.parsed.language) | _implicitly_used(reader)
    for owner, name, node in reader.local_assignments:
        if (owner, name) in reader.parameters or name in names_in_types or _DELIBERATE.match(name):
            continue
        if name in reader.bound[owner] and name not in names_read[owner] and name not in reserved:
            first = first_assignments.setdefault((owner, name), node)
            if node.start_byte < first.start_byte:
                first_assignments[owner, name] = node
    for (owner, name), node in first_assignments.items():
        line = node.start_point[0] + 1
        has_error = reader.declared[owner].node.has_error
        is_marked = b"noqa" in reader.lines[line - 1].lower() or _is_annotated(reader, node)
        if not has_error and not is_marked and not names_read[owner] & DYNAMIC_READERS:
            yield Unused("variable", name, line, line, owner)


def _is_annotated(reader: NameReader, name: Node) -> bool:
    """Return whether an annotation is about a local variable, such as Lombok's `@Cleanup`."""
    statement = name
    while statement.parent is not None and statement.parent.type not in BLOCKS:
        statement = statement.parent
    return b"@" in reader.source[statement.start_byte : name.start_byte]


def _unreachable_statements(reader: NameReader, exits: Sequence[Node]) -> Iterator[Unused]:
    calls = [_complete_statement(node) for node in (*exits, *reader.nodes("exit"))]
    after_jump = [_first_unreachable(reader, node) for node in reader.nodes("dead")]
    after_call = [_first_unreachable(reader, node) for node in _following(calls)]
    # Compilers do not know that a call never returns, and require what leaves the block after it, as in
    # `log.Fatalf(…); return nil`.
    leaving = {statement.id for statement in calls if statement is not None}
    required = [node for node in after_call if node and (_LEAVES.match(node.type) or node.id in leaving)]
    for first in (*after_jump, *after_call):
        if first is not None and first not in required:
            owner = reader.regions.owner(first.start_byte)
            line = first.start_point[0] + 1
            yield Unused("unreachable", "", line, last_line(_last_unreachable(reader, first)), owner)


def _following(statements: Iterable[Node | None]) -> Iterator[Node]:
    for statement in statements:
        following = statement.next_named_sibling if statement is not None else None
        previous = statement.prev_named_sibling if statement is not None else None
        # In `cat <<E || exit` the call is a sibling of the redirected statement, and is conditional.
        is_conditional = previous is not None and previous.type == "redirected_statement"
        if following is not None and not is_conditional:
            yield following


def _complete_statement(call: Node) -> Node | None:
    """Return the statement that consists of a call, if there is one."""
    statement = call
    for _ in range(_MAX_STATEMENT_DEPTH):
        parent = statement.parent
        if parent is None:
            return None
        if parent.type in BLOCKS:
            return statement
        if parent.type not in CALLS and not parent.type.endswith("expression_statement"):
            return None
        statement = parent
    return None


def _first_unreachable(reader: NameReader, node: Node) -> Node | None:
    """Return the first unreachable statement from a node on; labels and hoisted declarations are not."""
    skipped = reader.parsed.language.comments | reader.naming.reachable
    jump, block = node.prev_named_sibling, node.parent
    if jump is not None and _has_attribute(reader, jump):
        return None
    if block is not None and block.has_error:
        return None
    statement: Node | None = node
    while statement is not None and (statement.type in skipped or statement.text == b";"):
        statement = statement.next_named_sibling
    if statement is None or _is_jump_target(statement):
        return None
    text = statement.text or b""
    if text.startswith(b"yield"):
        return None  # an unreachable `yield` makes the function a generator
    return None if b"goto" in reader.source and _LABEL.search(text) else statement


def _last_unreachable(reader: NameReader, first: Node) -> Node:
    """Return the last statement before the next label or the end of the block."""
    last, following = first, first.next_named_sibling
    while following is not None and not _is_jump_target(following):
        if following.type not in reader.parsed.language.comments:
            last = following
        following = following.next_named_sibling
    return last


def _is_jump_target(node: Node) -> bool:
    return any(part in node.type for part in ("label", "case", "preproc", "directive", "heredoc"))


def _has_attribute(reader: NameReader, node: Node) -> bool:
    """Return whether an attribute may compile the statement out: `#[cfg(unix)] return;`."""
    attribute = node.prev_named_sibling
    return attribute is not None and attribute.type in reader.parsed.language.attributes
