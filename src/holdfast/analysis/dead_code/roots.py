"""Where execution begins: definitions that are called from outside the project's own code, by convention."""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.analysis.dead_code.convention import Convention, conventions
from holdfast.analysis.dead_code.namespace import CLASSES, FAMILIES, MEMBERS, OWNERS, SPACES, Namespace
from holdfast.syntax.record import Definition, Record

_AMBIGUOUS = frozenset({"Base", "Task", "Document", "Manager", "Library"})
"""Names of bases that a project may have for something else; where it has such a class, that one is meant."""
_LAST_WORD = re.compile(r"\w+$")


def last_word(text: str) -> str:
    """Return the last word of a dotted name: `route` of `app.route`."""
    found = _LAST_WORD.search(text.partition("<")[0].partition("(")[0].strip())
    return found[0] if found else text


def called_from_outside(path: str, record: Record) -> list[int]:
    """Return the indexes of the definitions of a file that something outside of the project calls."""
    rules = conventions(record.language)
    alive = rules.alive_in(path)
    rows = record.names.definitions
    called = [index for index in range(len(rows)) if _is_root(rows, index, record.language, alive)]
    names = {(rows[index].container, rows[index].name) for index in called if rows[index].decorators}
    methods = [rows[index] for index in called if rows[index].kind == "Method"]
    called += [row.container for row in methods if row.name == "main" and row.container >= 0]  # can be run
    # An overload may be called with it: the source of a test's arguments has the name of the test.
    if names:
        called += [index for index, row in enumerate(rows) if (row.container, row.name) in names]
    return called


def _is_root(rows: Sequence[Definition], index: int, language: str, alive: Sequence[re.Pattern[str]]) -> bool:
    row, rules = rows[index], conventions(language)
    owner = rows[row.container] if row.container >= 0 else None
    if (
        row.kind == "Method"
        and FAMILIES.get(language) == "script"
        and (owner is None or owner.kind not in CLASSES)
    ):
        return True  # a function of an object, which is used with it
    return _is_called(row, owner, rules) or any(_fits(row, names) for names in alive)


def _fits(row: Definition, names: re.Pattern[str]) -> bool:
    """Return whether what makes a file special makes a definition of it alive: its name, or being public."""
    return names.search(row.name) is not None if names.pattern else row.exported


def _is_called(row: Definition, owner: Definition | None, rules: Convention) -> bool:
    name = row.name
    if row.kind in SPACES or (name[:2] == "__" == name[-2:]):
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
        return True  # what a trait or an interface asks for
    return bool(owner.bases) and (name in rules.hooks or name.startswith(rules.hook_prefixes))


def _is_word(name: str) -> bool:
    """Return whether code can name it, unlike operators and functions that are known by a title."""
    return name.isidentifier() or name.strip("?!=#$@").replace("-", "_").replace("$", "_").isidentifier()


def derived_from_known(space: Namespace) -> set[int]:
    """Return classes that are found by what they extend, through bases of the project as well."""
    extended: dict[str, list[int]] = {}
    known: set[int] = set()
    registering = _registering(space)
    for one, row in enumerate(space.definitions):
        if not row.bases or row.kind not in CLASSES:
            continue
        rules = conventions(space.records[space.homes[one]].language)
        for base in map(last_word, row.bases):
            if base in registering or (
                base in rules.bases and not (base in _AMBIGUOUS and base in space.top)
            ):
                known.add(one)
            else:
                extended.setdefault(base, []).append(one)
    fresh = list(known)
    while fresh:
        for one in extended.pop(space.definitions[fresh.pop()].name, ()):
            if one not in known:
                known.add(one)
                fresh.append(one)
    return known


def _registering(space: Namespace) -> set[str]:
    """Return classes of Python that learn of those derived from them, or are asked for them."""
    owners = [space.containers[one] for one in space.members.get("__init_subclass__", ())]
    found = {space.definitions[one].name for one in owners if one >= 0}
    metaclasses = {row.name for row in space.definitions if row.kind == "Class" and "type" in row.bases}
    for record in space.records:
        if record.language == "python":
            for used in record.names.uses:
                owner = record.names.definitions[used.definition] if used.definition >= 0 else None
                if owner is not None and owner.kind == "Class" and not metaclasses.isdisjoint(used.names):
                    found.add(owner.name)
                if "__subclasses__" in used.attributes:
                    found.update(used.names)
    return found
