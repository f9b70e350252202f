"""Graphs as Mermaid and Graphviz DOT text.

Contract: names of files and definitions are untrusted. In Mermaid, node ids are generated, and every
character of a label that is not a letter, digit or harmless sign is written as a character code; in DOT,
names are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from holdfast.analysis.graph.dependency_graph import DependencyEdge, DependencyNode

MERMAID_NODES = 50
"""A judgement: larger diagrams are not readable."""
MERMAID_EDGES = 400
"""Below Mermaid's default `maxEdges` of 500, https://mermaid.js.org/config/schema-docs/config.html."""

_ARROWS = {"Calls": "-->", "Imports": "-.->", "Inherits": "==>"}
_STYLES = {"Calls": "solid", "Imports": "dashed", "Inherits": "bold"}
_SHAPES = {"Function": "ellipse", "Module": "box", "External": "note"}
_NOT_PLAIN = re.compile(r"[^\w ./$-]|_(?=_)")
_LONGEST = 80


def mermaid(nodes: Sequence[DependencyNode], edges: Iterable[DependencyEdge]) -> str:
    """Return a Mermaid flowchart."""
    ids = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["graph TD"]
    for node in nodes:
        opening, closing = ('("', '")') if node.node_type == "Function" else ('["', '"]')
        lines.append(f"    {ids[node.id]}{opening}{_mermaid_label(_label(node))}{closing}")
    for edge in edges:
        notes = [str(edge.weight)] * (edge.weight > 1) + ["guess"] * (edge.certainty == "guess")
        label = f"|{' '.join(notes)}|" if notes else ""
        lines.append(f"    {ids[edge.origin]} {_ARROWS[edge.edge_type]}{label} {ids[edge.goal]}")
    return "\n".join(lines) + "\n"


def dot(nodes: Sequence[DependencyNode], edges: Iterable[DependencyEdge]) -> str:
    """Return a Graphviz digraph."""
    lines = ["digraph dependencies {", "    rankdir=TB;"]
    for node in nodes:
        shape = _SHAPES.get(node.node_type, "component")
        lines.append(f"    {_quoted(node.id)} [label={_quoted(_label(node))}, shape={shape}];")
    for edge in edges:
        style = "dotted" if edge.certainty == "guess" else _STYLES[edge.edge_type]
        lines.append(
            f"    {_quoted(edge.origin)} -> {_quoted(edge.goal)} [weight={edge.weight}, style={style}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: DependencyNode) -> str:
    text = node.id if node.node_type == "Module" else node.label
    return text if len(text) <= _LONGEST else "…" + text[-_LONGEST:]


def _mermaid_label(text: str) -> str:
    return _NOT_PLAIN.sub(lambda found: f"#{ord(found[0])};", text)


def _quoted(text: str) -> str:
    """Return a DOT string, in which only quotes and backslashes are escaped."""
    plain = "".join(max(character, " ") for character in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
