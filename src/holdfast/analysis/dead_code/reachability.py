"""The mark phase: marks all definitions reachable from the roots, with a worklist, in rounds.

The first round starts from the roots and from code that runs when a file is loaded. Each later round starts
from definitions with weaker evidence. If `run` is a root and its text is `load(x).save()`, then `load` is
marked, and so is the method `save` of every marked class.

Contract: a definition is marked if marked code, or an initial value that runs with it, refers to it, and its
container is marked. A member is marked
if its class is and marked code accesses a member of that name on any object. Recursion alone marks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from holdfast.analysis.dead_code.initial_values import InitialValues
from holdfast.analysis.dead_code.symbol_table import BY_IMPORT, SymbolTable
from holdfast.syntax.record import MODULE, Uses
from holdfast.syntax.symbols import CLASSES

UNREACHED = 0
"""The round of a definition that no round reached."""
_FIRST_ROUND = 1
"""The round of a definition that is alive without doubt."""

_WORD = re.compile(r"\w+")


class Reachability:
    """Records in which round each definition was reached, and from where."""

    def __init__(self, symbols: SymbolTable) -> None:
        self.symbols = symbols
        self.rounds = bytearray(len(symbols.definitions))
        """The round in which each definition was reached, or UNREACHED."""
        self.reached_from: dict[int, int] = {}
        """The definition that first led to each definition, for all rounds but the first."""
        self._current_round = UNREACHED
        self._initial_values = InitialValues(symbols)
        self._worklist: list[int] = []
        self._waiting: dict[int, list[int]] = {}
        """The definitions to mark as soon as their container is marked, by the container."""
        # The next three shrink as more is reached, and with them the work of matching names.
        self._unaccessed_members = set(symbols.members)
        """The names of members that no marked code has accessed on any object."""
        self._unreached_counts = {name: len(found) for name, found in symbols.non_members.items()}
        """The number of unreached definitions with each name, without members; never 0."""
        self._names_to_follow = symbols.non_members.keys() | symbols.renaming_aliases
        """The names without a dot that may lead to an unreached definition."""
        # What a name of a file refers to does not depend on the place in the file, so it is followed once.
        self._followed_names: list[set[str]] = [set() for _ in symbols.paths]
        self._followed_attributes: list[set[str]] = [set() for _ in symbols.paths]

    def run_first_round(self, roots: Iterable[int]) -> None:
        """Mark from the roots and from module-level code, which runs when a file is loaded."""
        self.run_round(roots)
        for file in range(len(self.symbols.paths)):
            uses = self.symbols.module_uses.get(file)
            if uses is not None:
                self._follow_uses(file, MODULE, uses)
            for variable in self._initial_values.by_file.get(file, ()):
                for initial in self._initial_values.uses(variable):
                    self._follow_uses(file, MODULE, initial)
            self._process_worklist()

    def run_round(self, roots: Iterable[int]) -> None:
        self._current_round += 1
        for symbol in roots:
            self._mark(symbol, symbol)
        self._process_worklist()

    def _mark(self, symbol: int, user: int) -> None:
        """Mark a definition that `user` refers to, as soon as its container is marked."""
        if self.rounds[symbol]:
            return
        container = self.symbols.containers[symbol]
        is_enumerator = container != MODULE and self.symbols.definitions[symbol].kind == "EnumMember"
        if is_enumerator and self.symbols.families[self.symbols.file_of[symbol]] == "c":
            self._mark(container, user)  # C refers to enumerators without their enum
        if container != MODULE and not self.rounds[container]:
            self._waiting.setdefault(container, []).append(symbol)
            return
        self.rounds[symbol] = self._current_round
        if self._current_round > _FIRST_ROUND and user != symbol:
            self.reached_from[symbol] = user
        if not self.symbols.is_member[symbol]:
            name = self.symbols.definitions[symbol].name
            if name in self._unreached_counts:  # not `impl Trait for Type`, whose name in the table is `Type`
                self._unreached_counts[name] -= 1
                if not self._unreached_counts[name]:
                    del self._unreached_counts[name]
                    if name not in self.symbols.renaming_aliases:
                        self._names_to_follow.discard(name)
        self._worklist.append(symbol)

    def _mark_all(self, user: int, symbols: Iterable[int]) -> None:
        for symbol in symbols:
            if not self.rounds[symbol]:
                self._mark(symbol, user)

    def _process_worklist(self) -> None:
        while self._worklist:
            self._visit(self._worklist.pop())

    def _visit(self, symbol: int) -> None:
        symbols = self.symbols
        if symbol in self._waiting:
            self._mark_all(symbol, self._waiting.pop(symbol))
        if symbol in symbols.children:
            self._mark_all(symbol, filter(self._is_alive_with_container, symbols.children[symbol]))
        file, definition = symbols.file_of[symbol], symbols.definitions[symbol]
        if symbol in symbols.used:
            self._follow_uses(file, symbol, symbols.used[symbol])
        for variable in self._initial_values.by_container.get(symbol, ()):
            for initial in self._initial_values.uses(variable):
                self._follow_uses(file, symbol, initial)
        for text in (*definition.bases, *definition.decorators):
            name, *attributes = _WORD.findall(text) or [""]
            self._follow_uses(file, symbol, Uses(MODULE, (name,), tuple(attributes)))

    def _is_alive_with_container(self, child: int) -> bool:
        definition = self.symbols.definitions[child]
        is_accessed = bool(self.symbols.is_member[child]) and definition.name not in self._unaccessed_members
        return is_accessed or definition.kind in ("Constructor", "EnumMember")

    def _follow_uses(self, file: int, symbol: int, uses: Uses) -> None:
        symbols = self.symbols
        # Names are sorted, as their order determines what `reached_from` says.
        if names := self._names_to_follow.intersection(uses.names):
            bound = self._bound_names(symbol, uses)
            for name in sorted(names):
                self._follow_name(file, symbol, name, bound)
        if symbol in symbols.children and symbols.definitions[symbol].kind in CLASSES:
            used = set(uses.names)  # a class body can use its members by their plain names
            inner = symbols.children[symbol]
            self._mark_all(symbol, [child for child in inner if symbols.definitions[child].name in used])
        for name in sorted(self._unaccessed_members.intersection(uses.attributes)):
            self._mark_members(symbol, name)
        for name in sorted(self._unreached_counts.keys() & uses.attributes):
            self._follow_attribute(file, symbol, name)
        if symbols.families[file] not in BY_IMPORT:
            for name in sorted(symbols.renaming_aliases.intersection(uses.attributes)):
                self._follow_attribute(file, symbol, name)
            for name in sorted(self._unaccessed_members.intersection(uses.names)):
                if name not in uses.bound or self._is_called(file, name):
                    self._mark_members(symbol, name)

    def _is_called(self, file: int, name: str) -> bool:
        """Return whether a file calls a name: in `size = size(x)` it is a function as well as a variable."""
        return self.symbols.families[file] not in BY_IMPORT and any(
            call.callee == name for call in self.symbols.records[file].names.calls
        )

    def _bound_names(self, symbol: int, uses: Uses) -> set[str]:
        """Return the names that a definition and the functions around it bind locally."""
        # Names in a decorator are recorded with the function, but evaluated outside it.
        is_undecorated = symbol != MODULE and not self.symbols.definitions[symbol].decorators
        bound = set(uses.bound) if is_undecorated else set[str]()
        for outer in self.symbols.enclosing(symbol):
            if outer in self.symbols.used and self.symbols.definitions[outer].kind not in CLASSES:
                bound.update(self.symbols.used[outer].bound)
        return bound

    def _follow_name(self, file: int, symbol: int, name: str, bound: Collection[str] = ()) -> None:
        """Mark the definitions that a name without a dot may refer to."""
        symbols = self.symbols
        imports = symbols.facts[file].imports.by_name.get(name, ()) if name in bound else ()
        is_local = name in bound and not self._is_called(file, name)
        if is_local and all(imported.definition == MODULE for imported in imports):
            # A local variable or parameter; otherwise only a nested function can have this name.
            local = symbols.local[file].get(name, ())
            self._mark_all(symbol, [inner for inner in local if symbols.containers[inner] != MODULE])
            if symbols.families[file] not in BY_IMPORT:  # it may be a type elsewhere in the function
                types = [
                    visible
                    for visible in symbols.visible_in_family(file, name)
                    if symbols.definitions[visible].kind in CLASSES
                ]
                self._mark_all(symbol, types)
        elif name not in self._followed_names[file]:
            self._followed_names[file].add(name)
            self._mark_all(symbol, symbols.local[file].get(name, ()))
            if symbols.families[file] in BY_IMPORT:
                self._mark_all(symbol, symbols.resolve_export(file, name))
            else:
                self._mark_all(symbol, symbols.visible_in_family(file, name))

    def _follow_attribute(self, file: int, symbol: int, name: str) -> None:
        """Mark the definitions in a module or namespace that the name after a dot may refer to."""
        symbols = self.symbols
        if name in self._followed_attributes[file]:
            return
        self._followed_attributes[file].add(name)
        candidates = symbols.top_level.get(name)
        if symbols.families[file] not in BY_IMPORT:
            self._mark_all(symbol, symbols.visible_in_family(file, name))
        elif candidates:
            for candidate in candidates:
                other = symbols.file_of[candidate]
                if not self.rounds[candidate] and (other == file or symbols.imports_module(file, other)):
                    self._mark(candidate, symbol)
            for module in symbols.imported_modules(file).files:
                self._mark_all(symbol, symbols.resolve_export(module, name))

    def _mark_members(self, symbol: int, name: str) -> None:
        self._unaccessed_members.remove(name)
        self._mark_all(symbol, self.symbols.members[name])
