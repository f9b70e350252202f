"""Graphs as Mermaid and Graphviz DOT text.

Contract: names of files and definitions are untrusted. In Mermaid, node ids are generated, and a label
contains only letters, digits, blanks and `_./$-`; any other character is written as a character code. In DOT,
names are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from holdfast.analysis.graph.dependency_graph import DependencyEdge, DependencyNode

MAX_MERMAID_NODES = 50
"""Nodes of a diagram: a judgement. Larger diagrams are not readable."""
MAX_MERMAID_EDGES = 400
"""Edges of a diagram: below Mermaid's default `maxEdges` of 500, https://mermaid.js.org/config/schema-docs/config.html."""

_ARROWS = {"Calls": "-->", "Imports": "-.->", "Inherits": "==>"}
_STYLES = {"Calls": "solid", "Imports": "dashed", "Inherits": "bold"}
_SHAPES = {"Function": "ellipse", "Module": "box", "External": "note"}
_SPECIAL_CHARACTERS = re.compile(r"[^\w ./$-]|_(?=_)")
_MAX_LABEL_CHARACTERS = 80
"""The last characters of a path that a label shows: a judgement. They fit into one line of a diagram."""


def mermaid(nodes: Sequence[DependencyNode], edges: Iterable[DependencyEdge]) -> str:
    """Return a Mermaid flowchart."""
    ids = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["graph TD"]
    for node in nodes:
        opening, closing = ('("', '")') if node.node_type == "Function" else ('["', '"]')
        lines.append(f"    {ids[node.id]}{opening}{_mermaid_label(_label(node))}{closing}")
    for edge in edges:
        notes = []
        if edge.weight > 1:
            notes.append(str(edge.weight))
        if edge.certainty == "guess":
            notes.append("guess")
        label = f"|{' '.join(notes)}|" if notes else ""
        lines.append(f"    {ids[edge.origin]} {_ARROWS[edge.edge_type]}{label} {ids[edge.target]}")
    return "\n".join(lines) + "\n"


def dot(nodes: Sequence[DependencyNode], edges: Iterable[DependencyEdge]) -> str:
    """Return a Graphviz digraph."""
    lines = ["digraph dependencies {", "    rankdir=TB;"]
    for node in nodes:
        shape = _SHAPES.get(node.node_type, "component")
        lines.append(f"    {_quote(node.id)} [label={_quote(_label(node))}, shape={shape}];")
    for edge in edges:
        style = "dotted" if edge.certainty == "guess" else _STYLES[edge.edge_type]
        lines.append(
            f"    {_quote(edge.origin)} -> {_quote(edge.target)} [weight={edge.weight}, style={style}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: DependencyNode) -> str:
    """Return the path of a file or the name of another node, shortened at the front."""
    text = node.id if node.node_type == "Module" else node.label
    return text if len(text) <= _MAX_LABEL_CHARACTERS else "…" + text[-_MAX_LABEL_CHARACTERS:]


def _mermaid_label(text: str) -> str:
    return _SPECIAL_CHARACTERS.sub(lambda character: f"#{ord(character[0])};", text)


def _quote(text: str) -> str:
    """Return a DOT string: quotes and backslashes are escaped, control characters become blanks."""
    plain = "".join(max(character, " ") for character in text)  # control characters sort before the blank
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
