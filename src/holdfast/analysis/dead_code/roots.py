"""The roots of the mark phase: definitions that code outside the project calls, by convention.

Examples: `main`, `test_…` in a test file, a function decorated with `@app.route`, `__enter__` of any class,
and all subclasses of a class that collects them with `__init_subclass__`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.analysis.dead_code.convention import Convention, conventions
from holdfast.analysis.dead_code.symbol_table import FAMILIES, MEMBERS, OWNERS, SymbolTable
from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.analysis.graph.file_scope import NAMESPACES
from holdfast.syntax.record import Definition, Record
from holdfast.syntax.symbols import CLASSES, FUNCTIONS

_AMBIGUOUS_BASES = frozenset({"Base", "Task", "Document", "Manager", "Library"})
"""Framework bases with common names; a class of that name in the project takes precedence."""
_TEST_DECORATORS = frozenset({
    "Benchmark", "Fact", "ParameterizedTest", "RepeatedTest", "Test", "TestCase", "TestFactory", "TestMethod",
    "TestTemplate", "Theory",
})  # fmt: skip
"""Annotations of methods that test runners of Java, Kotlin and C# call, whatever the class is called."""
_MAY_HAVE_TESTS = frozenset({"python", "java", "kotlin", "csharp"})
_MAX_QUERY_CALLS = 4
"""Functions through which a class is asked for its subclasses: a judgement, as few have more."""
_LAST_WORD = re.compile(r"\w+$")


def last_word(text: str) -> str:
    """Return the last word of a dotted name: `route` of `app.route`."""
    without_arguments = text.partition("<")[0].partition("(")[0].strip()
    word = _LAST_WORD.search(without_arguments)
    return word[0] if word else text


def root_definitions(path: str, record: Record) -> list[int]:
    """Return the indexes of the definitions of a file that code outside the project calls."""
    rules = conventions(record.language)
    name_patterns = rules.alive_in(path)
    definitions = record.names.definitions
    roots = [
        index
        for index in range(len(definitions))
        if _is_root(definitions, index, record.language, name_patterns)
    ]
    found = [definitions[index] for index in roots]
    # A class with a `main` method, or with tests, can be run; its subclasses are in `registered_subclasses`.
    roots += [
        method.container
        for method in found
        if method.kind == "Method" and method.container >= 0 and _can_be_run(method)
    ]
    # Definitions with the name of a decorated root are roots, too: JUnit's @MethodSource without an argument
    # refers to a method with the name of the test.
    names = {(root.container, root.name) for root in found if root.decorators}
    if names:
        roots += [index for index, item in enumerate(definitions) if (item.container, item.name) in names]
    return roots


def _can_be_run(method: Definition) -> bool:
    return method.name == "main" or _is_test(method)


def _is_test(method: Definition) -> bool:
    """Return whether a test runner calls a method, given that it is a root."""
    has_name = method.name.startswith("test_")
    return has_name or not _TEST_DECORATORS.isdisjoint(map(last_word, method.decorators))


def _is_root(
    definitions: Sequence[Definition], index: int, language: str, name_patterns: Sequence[re.Pattern[str]]
) -> bool:
    definition, rules = definitions[index], conventions(language)
    owner = definitions[definition.container] if definition.container >= 0 else None
    is_outside_class = owner is None or owner.kind not in CLASSES
    if definition.kind == "Method" and FAMILIES.get(language) == "script" and is_outside_class:
        return True  # a function in an object literal, used through the object
    if (
        definition.kind == "Function"
        and FAMILIES.get(language, language) == "c"
        and definition.name.isupper()
    ):
        return True  # a macro that defines a function: `TEST(name) { … }`
    if _is_called_by_convention(definition, owner, rules):
        return True
    return any(_matches(definition, pattern) for pattern in name_patterns)


def _matches(definition: Definition, name_pattern: re.Pattern[str]) -> bool:
    """Return whether a definition has such a name or, if the pattern is empty, is public."""
    if not name_pattern.pattern:
        return definition.exported
    return name_pattern.search(definition.name) is not None


def _is_called_by_convention(definition: Definition, owner: Definition | None, rules: Convention) -> bool:
    name = definition.name
    is_dunder = name.startswith("__") and name.endswith("__")
    if definition.kind in NAMESPACES or is_dunder:
        return True
    if any(last_word(text) in rules.decorators for text in definition.decorators):
        return True
    if definition.kind in MEMBERS or (owner is not None and owner.kind in OWNERS):
        return _is_called_member(name, owner, rules)
    if name in rules.names or name.startswith(rules.prefixes):
        return True
    return definition.kind != "Object" and not _is_word(name)


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
    subclasses: dict[str, list[int]] = {}
    registered: set[int] = set()
    registering = _registering_classes(symbols)
    for symbol, definition in enumerate(symbols.definitions):
        if not definition.bases or definition.kind not in CLASSES:
            continue
        rules = conventions(symbols.records[symbols.file_of[symbol]].language)
        for base in map(last_word, definition.bases):
            is_project_class = base in _AMBIGUOUS_BASES and base in symbols.top_level
            if base in registering or (base in rules.bases and not is_project_class):
                registered.add(symbol)
            else:
                subclasses.setdefault(base, []).append(symbol)
    worklist = list(registered)
    while worklist:
        base = symbols.definitions[worklist.pop()].name
        for symbol in subclasses.pop(base, ()):
            if symbol not in registered:
                registered.add(symbol)
                worklist.append(symbol)
    return registered


def _registering_classes(symbols: SymbolTable) -> set[str]:
    """Return the names of classes whose subclasses are found: by a Python class, or by a test runner."""
    owners = [symbols.containers[symbol] for symbol in symbols.members.get("__init_subclass__", ())]
    names = {symbols.definitions[symbol].name for symbol in owners if symbol >= 0}
    metaclasses = {
        definition.name
        for definition in symbols.definitions
        if definition.bases and definition.kind == "Class" and "type" in definition.bases
    }
    for file, (path, record) in enumerate(zip(symbols.paths, symbols.records, strict=True)):
        if record.language in _MAY_HAVE_TESTS and IN_TESTS.search(path):
            definitions = record.names.definitions
            tests = (item for item in definitions if item.kind == "Method" and _is_test(item))
            names.update(definitions[item.container].name for item in tests if item.container >= 0)
        if record.language != "python" or metaclasses.isdisjoint(symbols.facts[file].names):
            continue
        for uses in record.names.uses:
            user = record.names.definitions[uses.definition] if uses.definition >= 0 else None
            if user is not None and user.kind == "Class" and not metaclasses.isdisjoint(uses.names):
                names.add(user.name)
    return names | _queried_for_subclasses(symbols)


def _queried_for_subclasses(symbols: SymbolTable) -> set[str]:
    """Return the names in Python functions that ask a class for its subclasses, and in those that call them.

    For example, `Plugin` of `load(Plugin)`, if the text of `load` is `return base.__subclasses__()`.
    """
    names: set[str] = set()
    helpers: set[str] = set()
    for _ in range(_MAX_QUERY_CALLS):
        found = set(helpers)
        for record, facts in zip(symbols.records, symbols.facts, strict=True):
            if record.language != "python" or not (
                "__subclasses__" in facts.attributes or not helpers.isdisjoint(facts.names)
            ):
                continue
            for uses in record.names.uses:
                if "__subclasses__" in uses.attributes or not helpers.isdisjoint(uses.names):
                    names.update(uses.names)
                    user = record.names.definitions[uses.definition] if uses.definition >= 0 else None
                    if user is not None and user.kind in FUNCTIONS:
                        found.add(user.name)
        if found == helpers:
            break
        helpers = found
    return names
