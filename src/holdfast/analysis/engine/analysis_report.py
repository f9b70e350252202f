"""The report that each analysis returns: tools, gate, combined documents and formats are its views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from holdfast.analysis.engine.code_finding import CodeFinding


@dataclass(frozen=True)
class ImportGraph:
    """The imports between files."""

    edges: Mapping[str, frozenset[str]]
    cycles: tuple[tuple[str, ...], ...] = ()


class AnalysisReport:
    """The base of the reports; an analysis overrides what it measures."""

    @property
    def findings(self) -> Sequence[CodeFinding]:
        """Code that the analysis recommends to change."""
        return ()

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return fields of `FileMeasures` by file."""
        return {}

    unmentioned: ClassVar[Mapping[str, Any]] = {}
    """The same fields for scanned files that `file_numbers` does not mention."""

    @property
    def import_graph(self) -> ImportGraph | None:
        """The imports between files, from the analysis that resolves them."""
        return None
