"""What a line of source belongs to: the innermost function, class or the like around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holdfast.comments.errors import SourceNotParsed
from holdfast.comments.sidecar.note import AnchorSymbol, Note
from holdfast.syntax.symbols import Symbol, innermost


class Outline:
    """The symbols of one text; a language that is not ours has none."""

    def __init__(self, path: str, text: str) -> None:
        # Parsers are loaded where they are used: most commands need none.
        from holdfast.syntax.facts import facts

        self._path = path
        self._facts = facts(path, text)

    def refuse_errors(self) -> None:
        """Raise when the text is not correct in its language."""
        problem = self._facts.broken(self._path)
        if problem is not None:
            raise SourceNotParsed(self._path, f"{problem.message} at line {problem.line}")

    def at(self, line: int) -> Symbol | None:
        """Return the innermost symbol around a line."""
        return innermost(self._facts.symbols, line)


def anchor_symbol(symbol: Symbol | None) -> AnchorSymbol | None:
    """Return what a comment keeps of a symbol."""
    if symbol is None:
        return None
    return AnchorSymbol(symbol.kind, symbol.name, symbol.container, symbol.path)


def ast_anchor(symbol: Symbol | None, line: int) -> dict[str, Any] | None:
    """Return a symbol in the form in which the extension stores it."""
    if symbol is None:
        return None
    return {
        "symbolPath": list(symbol.path),
        "symbolKind": symbol.kind,
        "containerName": symbol.container,
        "offset": max(0, line - symbol.start_line),
    }


def name_symbols(notes: Iterable[Note], outline: Outline) -> None:
    """Tell each comment that has its line what it is about now."""
    for note in notes:
        if not note.orphaned:
            note.moved_symbol = anchor_symbol(outline.at(note.line)) or note.moved_symbol
