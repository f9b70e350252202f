"""Whether two lines stand in the same symbol."""

from __future__ import annotations

from functools import cached_property

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline
from holdfast.comments.tracking.symbol_map import SymbolMap


class Places:
    """The outlines of two versions and the map between them, made when first asked for."""

    def __init__(
        self, old: Outline, new: Outline, before: Lines, after: Lines, fixed: dict[int, int]
    ) -> None:
        self.old, self.new = old, new
        self._before, self._after = before, after
        self._fixed = fixed

    @cached_property
    def known(self) -> bool:
        """Whether both versions could be read as code."""
        return self.old.parsed is not None and self.new.parsed is not None

    @cached_property
    def symbols(self) -> SymbolMap:
        """Which symbol is which."""
        return SymbolMap(self.old, self.new, self._before, self._after, self._fixed)

    def nearness(self, old_index: int, new_index: int) -> float:
        """Return 1 for the same symbol or for none on both sides, a half for the same outer one, else 0."""
        if not self.known:
            return 0.5
        source, target = self.old.holder(old_index), self.new.holder(new_index)
        if source is None or target is None:
            return 1.0 if source is target else 0.0
        if self.symbols.to.get(source) == target:
            return 1.0
        return 0.4 if self._outer(source, target) else 0.0

    def _outer(self, source: int, target: int) -> bool:
        """Return whether one of the two symbols, or what holds it, is the other's holder."""
        outer_source, outer_target = self.old.parent(source), self.new.parent(target)
        to = self.symbols.to
        return (
            (outer_target is not None and to.get(source) == outer_target)
            or (outer_source is not None and to.get(outer_source) == target)
            or (outer_source is not None and to.get(outer_source) == outer_target)
        )
