"""Graphs as text that other programs draw: Mermaid and DOT.

Contract: names of files and definitions are data of others. In Mermaid nodes have ids of ours, and every
character of a label that is no letter, digit or plain sign is written by its number; in DOT names are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from holdfast.analysis.graph.dependency_graph import Edge, Node

MERMAID_NODES = 50
MERMAID_EDGES = 400
"""Mermaid refuses more than 500 edges unless it is told otherwise."""

_ARROWS = {"Calls": "-->", "Imports": "-.->", "Inherits": "==>"}
_STYLES = {"Calls": "solid", "Imports": "dashed", "Inherits": "bold"}
_SHAPES = {"Function": "ellipse", "Module": "box", "External": "note"}
_NOT_PLAIN = re.compile(r"[^\w ./$-]|_(?=_)")
_LONGEST = 80


def mermaid(nodes: Sequence[Node], edges: Iterable[Edge]) -> str:
    """Return a flow chart of Mermaid."""
    ids = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["graph TD"]
    for node in nodes:
        opening, closing = ('("', '")') if node.node_type == "Function" else ('["', '"]')
        lines.append(f"    {ids[node.id]}{opening}{_mermaid_label(_label(node))}{closing}")
    for edge in edges:
        said = [str(edge.weight)] * (edge.weight > 1) + ["guess"] * (edge.certainty == "guess")
        label = f"|{' '.join(said)}|" if said else ""
        lines.append(f"    {ids[edge.origin]} {_ARROWS[edge.edge_type]}{label} {ids[edge.goal]}")
    return "\n".join(lines) + "\n"


def dot(nodes: Sequence[Node], edges: Iterable[Edge]) -> str:
    """Return a digraph in the language of Graphviz."""
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


def _label(node: Node) -> str:
    text = node.id if node.node_type == "Module" else node.label
    return text if len(text) <= _LONGEST else "…" + text[-_LONGEST:]


def _mermaid_label(text: str) -> str:
    return _NOT_PLAIN.sub(lambda found: f"#{ord(found[0])};", text)


def _quoted(text: str) -> str:
    """Return a string of DOT; it knows no escapes but that of the quote and of itself."""
    plain = "".join(max(character, " ") for character in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
