"""Small projects written down as texts, and their graphs as lines."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.dependency_graph import CodeGraph, DagType, dependency_graph
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Record, read_record


def scan_commit(texts: Mapping[str, str]) -> tuple[Scan, Resolution]:
    """Return the scan of some texts by path, and what their names mean."""
    texts = {path: dedent(text) for path, text in sorted(texts.items())}
    files: dict[str, Record] = {}
    for path, text in texts.items():
        record = read_record(path, text.encode())
        if record is not None:
            files[path] = record
    scan = Scan(files, {}, (), tuple(path for path in texts if path not in files))
    return scan, Resolution(scan, texts.get)


def graph_of(texts: Mapping[str, str], dag_type: DagType, *, include_external: bool = False) -> CodeGraph:
    """Return a graph of some texts."""
    scan, resolution = scan_commit(texts)
    return dependency_graph(scan, resolution, dag_type, include_external=include_external)


def edges_of(texts: Mapping[str, str], dag_type: DagType) -> set[str]:
    """Return the edges of a graph, such as `a.py::f -> b.py::g`; with a mark where one is not exact."""
    marks = {"exact": "", "likely": " (likely)", "guess": " (guess)"}
    found = graph_of(texts, dag_type).edges
    return {f"{edge.origin} -> {edge.target}{marks[edge.certainty]}" for edge in found}
