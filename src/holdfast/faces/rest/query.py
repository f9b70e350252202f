"""Query strings, parsed into an operation's arguments according to their JSON types."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from holdfast.faces.schema import Property, ValueShape, plain_text, properties_of, refused, spelled_value
from holdfast.kernel.operation import Operation

_QUOTING = "Write it as JSON, encoded for a URL."
_MAXIMUM_VALUES = 1000
"""A chosen bound, far above what any operation takes."""


class QueryReader:
    """Parses the arguments of one operation; unknown names are left to the validator."""

    def __init__(self, operation: Operation) -> None:
        self._properties = {item.name: item for item in properties_of(operation.input)}

    def arguments(self, query: bytes) -> dict[str, Any]:
        """Return the values by name: lists for arguments that may be repeated."""
        collected: dict[str, list[str]] = {}
        for name, text in _pairs(query):
            collected.setdefault(name, []).append(text)
        return {name: self._value(name, texts) for name, texts in collected.items()}

    def _value(self, name: str, texts: list[str]) -> Any:
        item = self._properties.get(name)
        if item is None:
            return texts[-1]
        if item.shape.kind == "array":
            return [_spelled(item, item.shape.items, text) for text in texts]
        if len(texts) > 1:
            raise refused(name, "given once", "It takes one value.")
        return _spelled(item, item.shape, texts[0])


def _spelled(item: Property, shape: ValueShape, text: str) -> Any:
    if text == "null" and item.shape.nullable and shape.kind != "string":
        return None
    return spelled_value(item.name, shape, text, _QUOTING)


def _pairs(query: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=_MAXIMUM_VALUES,
        )
    except ValueError:
        raise refused(
            "query", f"at most {_MAXIMUM_VALUES} values in ASCII", "Encode and shorten it."
        ) from None
    return [(plain_text("query", name), text) for name, text in pairs]
