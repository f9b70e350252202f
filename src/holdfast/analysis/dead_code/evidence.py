"""Evidence that a definition which the mark phase did not reach may still be alive.

Each piece of evidence is a `Doubt`: a reason, and the highest confidence a finding can have in spite of it.
For example, an unreached function `export_csv` is reported with 0.45 if a string `"export_csv"` occurs
somewhere, as `getattr` may look it up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from posixpath import basename, dirname, splitext
from typing import NamedTuple

from holdfast.analysis.dead_code.convention import conventions
from holdfast.analysis.dead_code.doubt import (
    BUILT,
    CALLED_FROM_OUTSIDE,
    INTENTIONAL,
    MEANT_TO_STAY,
    NAMED_IN_OWN_FILE,
    NAMED_IN_TEXT,
    PRIVATE_CALLED_FROM_OUTSIDE,
    RARE_USE,
    TEST_INPUT,
    UNIMPORTED_TEST_FILE,
    UNRESOLVED_USE,
    UNSEEN_USE,
    USABLE_FROM_OUTSIDE,
    Doubt,
    is_marked_intentional,
    read_elsewhere,
)
from holdfast.analysis.dead_code.inheritance import Inheritance
from holdfast.analysis.dead_code.public_api import ACCESSIBLE, PUBLIC, PublicApi
from holdfast.analysis.dead_code.reachability import UNREACHED, Reachability
from holdfast.analysis.dead_code.roots import last_word
from holdfast.analysis.dead_code.symbol_table import SymbolTable
from holdfast.analysis.dead_code.text_references import TextReferences
from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.syntax.record import MODULE, Definition
from holdfast.syntax.symbols import CLASSES, FUNCTIONS, VARIABLES

_TEST_DOUBLE = re.compile(r"Dummy|Fake|Mock|Noop|Null|Stub")
_TEST_NAME = re.compile(r"^test|(Tests?|TestCase|IT|Spec)$")
_MIN_PREFIX_CHARACTERS = 3
"""Characters of a string that code may complete to a name: a judgement, as shorter ones start too many."""
_UNPACKING_FAMILIES = frozenset({"python", "go"})
_ENDING = re.compile(r"([A-Z][a-z0-9]+)+")
_ENDING_OF_NAME = re.compile(r"(?<!^)[A-Z][a-z]")
_ACCESSOR = re.compile(r"(get|set|is)[A-Z]")
_DYNAMIC_LOOKUPS = frozenset({"globals", "getattr", "vars", "locals"})


class Occurrence(NamedTuple):
    """A place where a name is used, which may or may not refer to a definition with that name."""

    file: int
    definition: int
    """The index of the definition that contains the use, or MODULE."""
    is_attribute: bool
    """Whether the name follows a dot."""


class Evidence:
    """The evidence about unreached definitions, collected from all files."""

    def __init__(
        self,
        reachability: Reachability,
        public_api: PublicApi,
        text_references: TextReferences,
        unreached: Iterable[int],
    ) -> None:
        self.symbols: SymbolTable = reachability.symbols
        self.inheritance = Inheritance(reachability.symbols)
        self.reachability = reachability
        self.public_api = public_api
        self.text_references = text_references
        self.string_words: dict[str, str] = {}
        """The words in strings that are names, each with a file that contains it."""
        self.string_prefixes: dict[str, str] = {}
        """The words in strings that names may start with, each with a file that contains it."""
        self.shadowed: set[tuple[str, str]] = set()
        """The folder and name of uses that a local variable may hide, as in Go's `dir := join(dir)`."""
        self.looked_up: set[int] = set()
        """The files that Python code looks up names in, as in `getattr(settings, name.upper())`."""
        self.string_endings: dict[str, str] = {}
        """The words in strings that names of types may end with, each with a file that contains it."""
        self.occurrences: defaultdict[str, list[Occurrence]] = defaultdict(list)
        """The uses of the names of unreached definitions."""
        self._collect_occurrences({self.symbols.definitions[symbol].name for symbol in unreached})

    def _collect_occurrences(self, names: set[str]) -> None:
        symbols = self.symbols
        for file, (path, record) in enumerate(zip(symbols.paths, symbols.records, strict=True)):
            self._collect_words(path, record.names.words, names)
            for imported in record.names.imports:  # it may be re-exported
                if imported.name in names:
                    self.occurrences[imported.name].append(Occurrence(file, MODULE, is_attribute=False))
            start, facts = symbols.starts[file], symbols.facts[file]
            used, accessed = names & facts.names, names & facts.attributes
            may_look_up = symbols.families[file] == "python" and not _DYNAMIC_LOOKUPS.isdisjoint(facts.names)
            if not (used or accessed or may_look_up):
                continue
            for uses in record.names.uses:
                symbol = MODULE if uses.definition == MODULE else start + uses.definition
                for name in used.intersection(uses.names).difference(uses.bound):
                    self.occurrences[name].append(Occurrence(file, symbol, is_attribute=False))
                if symbols.families[file] in ("go", "script"):
                    hidden = used.intersection(uses.names, uses.bound)
                    self.shadowed.update((dirname(path), name) for name in hidden)
                if may_look_up and not _DYNAMIC_LOOKUPS.isdisjoint(uses.names):
                    self.looked_up.update(self._modules_named(file, uses.names))
                for name in accessed.intersection(uses.attributes):
                    self.occurrences[name].append(Occurrence(file, symbol, is_attribute=True))

    def _modules_named(self, file: int, names: Iterable[str]) -> Iterator[int]:
        """Yield the files of the project that names of a file are bound to by an import."""
        by_name = self.symbols.facts[file].imports.by_name
        for imported in (imported for name in names for imported in by_name.get(name, ())):
            if not any(self.symbols.resolve_import(file, imported)):
                yield from self.symbols.imported_files(file, imported)

    def _collect_words(self, path: str, words: Sequence[str], names: set[str]) -> None:
        for word in names.intersection(words):
            self.string_words.setdefault(word, path)
        for word in words:
            if word[-1] == "_" and len(word) >= _MIN_PREFIX_CHARACTERS:
                self.string_prefixes.setdefault(word, path)
            elif _ENDING.fullmatch(word):
                self.string_endings.setdefault(word, path)

    def low_doubt(self, symbol: int) -> Doubt | None:
        """Return the first reason for which only a low confidence is justified, if any."""
        definition, file = self.symbols.definitions[symbol], self.symbols.file_of[symbol]
        if self.public_api.visibility(symbol) == PUBLIC:
            return Doubt(MEANT_TO_STAY, "it belongs to the project's public API")
        if self.public_api.is_test_input(file):
            return TEST_INPUT
        if self.public_api.is_built(file):
            return BUILT
        rules = conventions(self.symbols.records[file].language)
        is_field = definition.kind in VARIABLES and self.symbols.families[file] == "jvm"
        silent = frozenset() if is_field else rules.silent_decorators  # Lombok writes accessors of fields
        unknown = [text for text in definition.decorators if last_word(text) not in silent]
        if unknown:
            return Doubt(CALLED_FROM_OUTSIDE, f"`{unknown[0]}` may register it")
        if is_marked_intentional(self.symbols.records[file], definition.start_line - 1, definition.line):
            return INTENTIONAL
        for base in self.inheritance.external_bases(symbol):
            if last_word(base) not in rules.bases | rules.known_bases:
                is_private = definition.name.startswith("_")
                confidence = PRIVATE_CALLED_FROM_OUTSIDE if is_private else CALLED_FROM_OUTSIDE
                return Doubt(confidence, f"`{base}` from outside the project may call it")
        if self._may_escape(symbol):
            reason = "it may be part of an object, or implement an interface declared elsewhere"
            return Doubt(UNRESOLVED_USE, reason)
        if self.symbols.containers[symbol] < 0 and self._has_dynamic_lookup(file):
            return Doubt(UNRESOLVED_USE, "`__getattr__` of its module may look it up")
        return self._named_in_text(symbol) or self._accessed_on_unknown_object(symbol)

    def _named_in_text(self, symbol: int) -> Doubt | None:
        """Return the doubt if a string, or a file that is not code, contains the name."""
        definition, path = self.symbols.definitions[symbol], self.symbols.paths[self.symbols.file_of[symbol]]
        name, file_with_name = definition.name, self.string_words.get(definition.name)
        # A variable's name in a string of its own file is often only its value.
        if file_with_name and (file_with_name != path or definition.kind not in ("Variable", "Constant")):
            return Doubt(NAMED_IN_TEXT, f"its name is in a string in {file_with_name}")
        if path := self.text_references.referring.get(name, ""):
            return Doubt(NAMED_IN_TEXT, f"its name is in {path}")
        for end in range(_MIN_PREFIX_CHARACTERS, len(name)):
            if name[end - 1] == "_" and name[:end] in self.string_prefixes:
                path = self.string_prefixes[name[:end]]
                return Doubt(UNRESOLVED_USE, f"a string in {path} starts its name")
        return None

    def _perhaps_named_in_text(self, definition: Definition) -> Doubt | None:
        """Return the doubt if text has the name, or a part of it, perhaps with another meaning."""
        if path := self.string_words.get(definition.name):
            return Doubt(NAMED_IN_OWN_FILE, f"its name is in a string in {path}")
        if path := self.text_references.mentioned.get(definition.name, ""):
            return Doubt(RARE_USE, f"{path} contains its name, perhaps as an ordinary word")
        return self._assembled(definition)

    def _assembled(self, definition: Definition) -> Doubt | None:
        """Return the doubt if the name is that of another type and a word in a string, as `ShopMock`."""
        for ending in _ENDING_OF_NAME.finditer(definition.name) if definition.kind in CLASSES else ():
            start, end = definition.name[: ending.start()], definition.name[ending.start() :]
            if end in self.string_endings and start in self.symbols.top_level:
                path = self.string_endings[end]
                return Doubt(RARE_USE, f'its name is `{start}` and "{end}", which is in a string in {path}')
        return None

    def _may_escape(self, symbol: int) -> bool:
        """Return whether code can use a definition without naming it: through an interface or an object."""
        symbols, file = self.symbols, self.symbols.file_of[symbol]
        definition, container = symbols.definitions[symbol], symbols.containers[symbol]
        if symbols.families[file] == "go":
            return bool(symbols.is_member[symbol]) and definition.exported
        if symbols.families[file] == "jvm" and definition.kind == "Method" and container >= 0:
            outer = symbols.definitions[container].kind  # no class if that is anonymous
            return outer in FUNCTIONS or (outer not in CLASSES and definition.exported)
        if symbols.families[file] != "script" or container < 0 or symbols.is_member[symbol]:
            return False
        used = symbols.used.get(container)
        return used is None or definition.name not in used.bound  # not a variable, so it may be a property

    def _has_dynamic_lookup(self, file: int) -> bool:
        symbols = self.symbols
        for symbol in symbols.local[file].get("__getattr__", ()):
            used = symbols.used.get(symbol)
            if used is not None and _DYNAMIC_LOOKUPS.intersection(used.names):
                return True
        return False

    def _is_misread(self, file: int) -> bool:
        """Return whether functions in functions show that macros of C hide where one ends."""
        definitions = self.symbols.records[file].names.definitions
        return self.symbols.records[file].language == "c" and any(
            item.kind in FUNCTIONS and item.container >= 0 and definitions[item.container].kind in FUNCTIONS
            for item in definitions
        )

    def _uses_globals(self, file: int) -> bool:
        names = self.symbols.records[file].names
        return self.symbols.families[file] == "python" and any(
            "globals" in row.names or {"getattr", "__name__"} <= set(row.names) for row in names.uses
        )

    def _accessed_on_unknown_object(self, symbol: int) -> Doubt | None:
        """Return the doubt if reached code accesses such an attribute, which no class of the project has."""
        name = self.symbols.definitions[symbol].name
        uses = self.occurrences.get(name, ()) if name not in self.symbols.members else ()
        for use in uses:
            if use.is_attribute and self._is_reached(use, symbol):
                reason = f"{self.symbols.paths[use.file]} accesses this name on an unknown object"
                return Doubt(UNRESOLVED_USE, reason)
        return None

    def medium_doubt(self, symbol: int) -> Doubt | None:
        """Return the first reason for which only a medium confidence is justified, if any."""
        definition, file = self.symbols.definitions[symbol], self.symbols.file_of[symbol]
        if self.public_api.visibility(symbol) == ACCESSIBLE:
            return Doubt(USABLE_FROM_OUTSIDE, "other projects could use it")
        for base in self.inheritance.external_bases(symbol):
            return Doubt(RARE_USE, f"its class extends `{base}`, whose callbacks are not all known")
        if self._is_interface_member(symbol):
            return Doubt(RARE_USE, "an interface of the project requires it, though nothing calls it")
        if self.symbols.families[file] == "jvm" and _ACCESSOR.match(definition.name):
            return Doubt(UNSEEN_USE, "accessors are often called by reflection")
        if doubt := self._perhaps_named_in_text(definition):
            return doubt
        for use in self.occurrences.get(definition.name, ()):
            if self._is_reached(use, symbol):
                reason = f"{self.symbols.paths[use.file]} uses the name, probably with another meaning"
                return Doubt(RARE_USE, reason)
        if self.symbols.records[file].syntax_error or self._is_misread(file):
            return Doubt(UNSEEN_USE, "a part of its file could not be parsed")
        return self._used_without_name(symbol)

    def _is_interface_member(self, symbol: int) -> bool:
        symbols = self.symbols
        members = symbols.members.get(symbols.definitions[symbol].name, ())
        owners = [symbols.containers[member] for member in members]
        return any(symbols.definitions[owner].kind == "Interface" for owner in owners if owner >= 0)

    def _used_without_name(self, symbol: int) -> Doubt | None:
        """Return the doubt about code whose position, file or role may be its use."""
        definition, file = self.symbols.definitions[symbol], self.symbols.file_of[symbol]
        if self.public_api.may_be_test_input(file):
            return UNIMPORTED_TEST_FILE
        if doubt := read_elsewhere(self.symbols.paths[file], self.symbols.records[file], definition):
            return doubt
        if self._may_be_loaded_dynamically(symbol):
            return Doubt(RARE_USE, "it may be loaded dynamically, as nothing imports it")
        if (dirname(self.symbols.paths[file]), definition.name) in self.shadowed:
            return Doubt(RARE_USE, "a function uses the name, of which it has a local variable too")
        if self.symbols.containers[symbol] < 0 and (file in self.looked_up or self._uses_globals(file)):
            return Doubt(RARE_USE, "code looks up names of its file, with `getattr` or `globals`")
        if self._is_bound_with_others(symbol):
            return Doubt(RARE_USE, "it is assigned together with names that are used")
        if self.symbols.families[file] == "script" and definition.exported and self.symbols.is_member[symbol]:
            return Doubt(RARE_USE, "code outside the project may call it on an object of its class")
        if self._is_test_double(symbol):
            return Doubt(RARE_USE, "it may be a test double or the input of a test")
        return None

    def _is_bound_with_others(self, symbol: int) -> bool:
        """Return whether a variable is one of several that a value is unpacked to, and one is used."""
        symbols, file = self.symbols, self.symbols.file_of[symbol]
        definition = symbols.definitions[symbol]
        if definition.kind not in VARIABLES or symbols.families[file] not in _UNPACKING_FAMILIES:
            return False
        neighbours = (symbol - 1, symbol + 1)
        return any(
            0 <= other < len(symbols.definitions)
            and symbols.file_of[other] == file
            and symbols.definitions[other].line == definition.line
            and self.reachability.rounds[other] != UNREACHED
            for other in neighbours
        )

    def _may_be_loaded_dynamically(self, symbol: int) -> bool:
        """Return whether a definition may be loaded without an import: as a script of a page or a plug-in."""
        file = self.symbols.file_of[symbol]
        if self.symbols.families[file] == "jvm":  # found by reflection
            return self.inheritance.has_external_base(symbol)
        if (
            self.symbols.families[file] == "ruby"
        ):  # found by the name of its file, as `AddPeer` of add_peer.rb
            definition, path = self.symbols.definitions[symbol], self.symbols.paths[file]
            stem = splitext(basename(path))[0].replace("_", "").lower()
            return bool(definition.bases) and stem == definition.name.lower()
        if not self.public_api.is_unimported(file):
            return False
        names = self.symbols.records[file].names
        if self.symbols.families[file] == "script":
            return not (names.imports or names.exports or any(item.exported for item in names.definitions))
        return self.inheritance.has_external_base(symbol)

    def _is_test_double(self, symbol: int) -> bool:
        """Return whether a definition is a class in a test function, or a member of a test double."""
        definition, container = self.symbols.definitions[symbol], self.symbols.containers[symbol]
        file = self.symbols.file_of[symbol]
        if container < 0:
            is_found_by_path = self.symbols.families[file] == "jvm"  # by whoever scans the compiled classes
            is_double = is_found_by_path or _TEST_DOUBLE.search(definition.name)
            return bool(
                definition.kind in CLASSES and is_double and IN_TESTS.search(self.symbols.paths[file])
            )
        outer = self.symbols.definitions[container]
        if _TEST_DOUBLE.search(outer.name) or (outer.kind in CLASSES and outer.decorators):
            return True
        if not IN_TESTS.search(self.symbols.paths[file]) or outer.kind not in (*CLASSES, *FUNCTIONS):
            return False
        is_class, is_in_function = definition.kind in CLASSES, outer.kind in FUNCTIONS
        if is_class or is_in_function:
            return is_class and is_in_function
        # A test runner collects classes with names of tests; others are doubles or input of tests.
        class_and_members = (container, *self.symbols.children[container])
        names = [self.symbols.definitions[item].name for item in class_and_members]
        return self.symbols.families[file] == "script" or not any(map(_TEST_NAME.search, names))

    def unreached_user(self, symbol: int) -> int | None:
        """Return an unreached definition that uses the name of this one, if any."""
        own_text = {symbol, *self.symbols.children.get(symbol, ())}
        name, path = self.symbols.definitions[symbol].name, self.symbols.definitions[symbol].path
        for use in self.occurrences.get(name, ()):
            enclosing = self.symbols.enclosing(use.definition)
            is_same_path = use.definition >= 0 and self.symbols.definitions[use.definition].path == path
            if use.definition not in own_text and symbol not in enclosing and not is_same_path:
                return use.definition
        return None

    def _is_reached(self, use: Occurrence, symbol: int) -> bool:
        """Return whether reached code, other than the definition itself, contains a use."""
        user = use.definition
        if user == MODULE:
            return True
        return user != symbol and self.reachability.rounds[user] != UNREACHED
