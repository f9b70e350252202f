"""The base class of the reports that analyses return, and that tools, gate and combined documents render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from holdfast.analysis.engine.code_finding import CodeFinding


@dataclass(frozen=True)
class ImportGraph:
    """The imports between files."""

    edges: Mapping[str, frozenset[str]]
    """The files that each file imports."""
    cycles: tuple[tuple[str, ...], ...] = ()
    """The files of each cycle, the largest cycle first."""


class AnalysisReport:
    """What an analysis measured; a subclass overrides the parts that it provides."""

    @property
    def findings(self) -> Sequence[CodeFinding]:
        """Places in the code that the analysis recommends changing."""
        return ()

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return values for fields of `FileMeasurements`, by file and field name."""
        return {}

    default_numbers: ClassVar[Mapping[str, Any]] = {}
    """The values for scanned files that `file_numbers` does not mention."""

    @property
    def import_graph(self) -> ImportGraph | None:
        """The imports between files, from the analysis that resolves them."""
        return None
