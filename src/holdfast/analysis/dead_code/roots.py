"""The roots of the mark phase: definitions that code outside the project calls, by convention.

Examples: `main`, `test_…` in a test file, a function decorated with `@app.route`, `__enter__` of any class,
and all subclasses of a class that collects them with `__init_subclass__`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.analysis.dead_code.convention import Convention, conventions
from holdfast.analysis.dead_code.symbol_table import CLASSES, FAMILIES, MEMBERS, OWNERS, SCOPES, SymbolTable
from holdfast.syntax.record import Definition, Record

_AMBIGUOUS = frozenset({"Base", "Task", "Document", "Manager", "Library"})
"""Common names of framework bases; a class of that name in the project itself takes precedence."""
_LAST_WORD = re.compile(r"\w+$")


def last_word(text: str) -> str:
    """Return the last word of a dotted name: `route` of `app.route`."""
    found = _LAST_WORD.search(text.partition("<")[0].partition("(")[0].strip())
    return found[0] if found else text


def root_definitions(path: str, record: Record) -> list[int]:
    """Return the indexes of the definitions of a file that code outside the project calls."""
    rules = conventions(record.language)
    alive = rules.alive_in(path)
    rows = record.names.definitions
    called = [index for index in range(len(rows)) if _is_root(rows, index, record.language, alive)]
    names = {(rows[index].container, rows[index].name) for index in called if rows[index].decorators}
    methods = [rows[index] for index in called if rows[index].kind == "Method"]
    # A class with a `main` method can be run.
    called += [row.container for row in methods if row.name == "main" and row.container >= 0]
    # Other definitions of the name go with it: JUnit's @MethodSource defaults to the name of the test.
    if names:
        called += [index for index, row in enumerate(rows) if (row.container, row.name) in names]
    return called


def _is_root(rows: Sequence[Definition], index: int, language: str, alive: Sequence[re.Pattern[str]]) -> bool:
    row, rules = rows[index], conventions(language)
    owner = rows[row.container] if row.container >= 0 else None
    outside_class = owner is None or owner.kind not in CLASSES
    if row.kind == "Method" and FAMILIES.get(language) == "script" and outside_class:
        return True  # a function in an object literal, used through the object
    return _is_called_by_convention(row, owner, rules) or any(_matches(row, names) for names in alive)


def _matches(row: Definition, names: re.Pattern[str]) -> bool:
    """Return whether a file pattern keeps a definition alive: by its name, or because it is public."""
    return names.search(row.name) is not None if names.pattern else row.exported


def _is_called_by_convention(row: Definition, owner: Definition | None, rules: Convention) -> bool:
    name = row.name
    if row.kind in SCOPES or (name[:2] == "__" == name[-2:]):
        return True
    if row.decorators and any(last_word(text) in rules.decorators for text in row.decorators):
        return True
    if row.kind in MEMBERS or (owner is not None and owner.kind in OWNERS):
        return _is_called_member(name, owner, rules)
    if name in rules.names or (rules.prefixes and name.startswith(rules.prefixes)):
        return True
    return row.kind != "Object" and not _is_word(name)


def _is_called_member(name: str, owner: Definition | None, rules: Convention) -> bool:
    if name in rules.members or not _is_word(name):
        return True
    if owner is None:
        return False
    if owner.kind == "Interface" or " for " in owner.name:
        return True  # a trait or an interface requires it
    return bool(owner.bases) and (name in rules.hooks or name.startswith(rules.hook_prefixes))


def _is_word(name: str) -> bool:
    """Return whether a name is an identifier, unlike operators and test titles."""
    return name.isidentifier() or name.strip("?!=#$@").replace("-", "_").replace("$", "_").isidentifier()


def registered_subclasses(symbols: SymbolTable) -> set[int]:
    """Return the direct and indirect subclasses of bases whose subclasses are registered."""
    extended: dict[str, list[int]] = {}
    known: set[int] = set()
    registering = _registering(symbols)
    for symbol, row in enumerate(symbols.definitions):
        if not row.bases or row.kind not in CLASSES:
            continue
        rules = conventions(symbols.records[symbols.file_of[symbol]].language)
        for base in map(last_word, row.bases):
            is_own_class = base in _AMBIGUOUS and base in symbols.top
            if base in registering or (base in rules.bases and not is_own_class):
                known.add(symbol)
            else:
                extended.setdefault(base, []).append(symbol)
    fresh = list(known)
    while fresh:
        for symbol in extended.pop(symbols.definitions[fresh.pop()].name, ()):
            if symbol not in known:
                known.add(symbol)
                fresh.append(symbol)
    return known


def _registering(symbols: SymbolTable) -> set[str]:
    """Return Python classes that register their subclasses or are queried for them."""
    owners = [symbols.containers[symbol] for symbol in symbols.members.get("__init_subclass__", ())]
    found = {symbols.definitions[symbol].name for symbol in owners if symbol >= 0}
    metaclasses = {row.name for row in symbols.definitions if row.kind == "Class" and "type" in row.bases}
    for record in symbols.records:
        if record.language == "python":
            for used in record.names.uses:
                owner = record.names.definitions[used.definition] if used.definition >= 0 else None
                if owner is not None and owner.kind == "Class" and not metaclasses.isdisjoint(used.names):
                    found.add(owner.name)
                if "__subclasses__" in used.attributes:
                    found.update(used.names)
    return found
