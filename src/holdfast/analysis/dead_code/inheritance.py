"""The base types of classes, as far as they are part of the project, and those from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.analysis.dead_code.convention import conventions
from holdfast.analysis.dead_code.roots import last_word
from holdfast.analysis.dead_code.symbol_table import BY_IMPORT, FUNCTIONS, SymbolTable
from holdfast.syntax.symbols import CLASSES


class Inheritance:
    """What the classes of a symbol table extend, directly or indirectly."""

    def __init__(self, symbols: SymbolTable) -> None:
        self.symbols = symbols

    def has_external_base(self, symbol: int) -> bool:
        """Return whether a definition is a class that extends an external type, which may find it."""
        if self.symbols.definitions[symbol].kind not in CLASSES:
            return False
        seen, classes = set[int](), [symbol]
        while classes:
            current = classes.pop()
            seen.add(current)
            for base in self.symbols.definitions[current].bases:
                project_classes = self._project_classes(current, base)
                if not project_classes and not self._calls_no_hooks(current, base):
                    return True
                classes += [candidate for candidate in project_classes if candidate not in seen]
        return False

    def external_bases(self, symbol: int) -> Iterator[str]:
        """Yield the external types that the class of a member inherits from, directly or indirectly."""
        definition, container = self.symbols.definitions[symbol], self.symbols.containers[symbol]
        if container < 0 or not self.symbols.is_member[symbol] or definition.kind not in FUNCTIONS:
            return
        is_by_import = self.symbols.families[self.symbols.file_of[symbol]] in BY_IMPORT
        if not definition.exported and not is_by_import:
            return  # a private member, which no base class can call
        seen, classes = set[int](), [container]
        while classes:
            current = classes.pop()
            seen.add(current)
            for base in self.symbols.definitions[current].bases:
                project_classes = [
                    candidate for candidate in self._project_classes(current, base) if candidate != current
                ]
                # A class may extend an external class of the same name.
                has_same_name = last_word(base) == self.symbols.definitions[current].name
                if (has_same_name or not project_classes) and not self._calls_no_hooks(current, base):
                    yield base
                classes += [candidate for candidate in project_classes if candidate not in seen]

    def _calls_no_hooks(self, symbol: int, base: str) -> bool:
        """Return whether a base calls no members that a class adds."""
        file = self.symbols.file_of[symbol]
        if last_word(base) not in conventions(self.symbols.records[file].language).silent_bases:
            return False
        imports = self.symbols.facts[file].imports.by_name.get(base, ())
        return base != "Protocol" or any("typing" in imported.module for imported in imports)

    def _project_classes(self, symbol: int, base: str) -> list[int]:
        """Return the classes of the project that the name of a base may refer to."""
        symbols, file = self.symbols, self.symbols.file_of[symbol]
        imports = symbols.facts[file].imports.by_name.get(base.partition(".")[0], ())
        is_external = not any(symbols.imported_files(file, imported) for imported in imports)
        if imports and is_external and symbols.families[file] in BY_IMPORT:
            return []  # imported from elsewhere, although the project has a class of that name
        name = last_word(base)
        candidates = (*symbols.top_level.get(name, ()), *symbols.members.get(name, ()))
        return [symbol for symbol in candidates if symbols.definitions[symbol].kind in CLASSES]
