"""A graph as GraphML, the exchange format of graph tools (http://graphml.graphdrawing.org).

Contract: every attribute is declared, names are escaped, and characters that XML does not allow are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

from holdfast.kernel.untrusted import visible

_HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'"
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
    " xsi:schemaLocation='http://graphml.graphdrawing.org/xmlns"
    " http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd'>"
)
_TYPES = {str: "string", int: "long", float: "double"}
_NOT_IN_XML = dict.fromkeys((0xFFFE, 0xFFFF))
"""Code points that XML does not allow, https://www.w3.org/TR/xml/#charsets; `visible` replaces the others."""
Attribute = str | int | float


def graphml(nodes: Iterable[Mapping[str, Attribute]], edges: Iterable[tuple[int, int]]) -> str:
    """Return a directed graph, whose nodes all have the same attributes."""
    nodes = list(nodes)
    lines = [_HEAD]
    if nodes:
        lines += _declarations(nodes[0])
    lines.append("<graph id='G' edgedefault='directed'>")
    lines += [f"<node id='n{number}'>{_data(data)}</node>" for number, data in enumerate(nodes)]
    lines += [f"<edge source='n{origin}' target='n{target}'/>" for origin, target in edges]
    return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def _declarations(attributes: Mapping[str, Attribute]) -> list[str]:
    return [
        f"<key id='{name}' for='node' attr.name='{name}' attr.type='{_TYPES[type(value)]}'/>"
        for name, value in attributes.items()
    ]


def _data(data: Mapping[str, Attribute]) -> str:
    return "".join(f"<data key='{name}'>{_text(value)}</data>" for name, value in data.items())


def _text(value: Attribute) -> str:
    return escape(visible(value).translate(_NOT_IN_XML)) if isinstance(value, str) else repr(value)
