"""Initial values of variables that run although nothing uses the variable.

`RESULT = compute()` at the top of a file runs `compute` when the file is loaded; whether anything uses
`RESULT` is another question. The type and the value of a variable that is never reported, such as a field of
a Python class, cannot be told from used ones either, so they belong to the code around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.analysis.dead_code.symbol_table import SymbolTable, reported_kind
from holdfast.syntax.record import Uses
from holdfast.syntax.symbols import VARIABLES

_LAZY_FAMILIES = frozenset({"rust", "swift"})
"""Languages in which the value of a variable outside functions is only computed when it is used."""


class InitialValues:
    """The variables of a scan whose initial values run with the code around them, or count as if they did."""

    def __init__(self, symbols: SymbolTable) -> None:
        self.symbols = symbols
        self.by_container: dict[int, list[int]] = {}
        """The variables by the definition that directly contains them."""
        self.by_file: dict[int, list[int]] = {}
        """The variables outside definitions by their file."""
        calling = self._calling()
        for symbol, definition in enumerate(symbols.definitions):
            if definition.kind not in VARIABLES:
                continue
            container, file = symbols.containers[symbol], symbols.file_of[symbol]
            if symbol in calling or reported_kind(symbols, symbol) is None:
                place, key = (self.by_container, container) if container >= 0 else (self.by_file, file)
                place.setdefault(key, []).append(symbol)

    def _calling(self) -> set[int]:
        """Return the definitions whose own text calls something."""
        symbols = self.symbols
        return {
            start + call.definition
            for start, family, record in zip(symbols.starts, symbols.families, symbols.records, strict=True)
            if family not in _LAZY_FAMILIES
            for call in record.names.calls
            if call.definition >= 0
        }

    def uses(self, symbol: int) -> Iterator[Uses]:
        """Yield the uses in an initial value, with those of functions and types inside it."""
        open_ = [symbol]
        while open_:
            inner = open_.pop()
            open_ += self.symbols.children.get(inner, ())
            if inner in self.symbols.used:
                yield self.symbols.used[inner]
