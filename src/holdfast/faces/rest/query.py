"""Parses query strings into the arguments of an operation, each according to its JSON type."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from holdfast.faces.schema import (
    Property,
    ValueShape,
    check_utf8,
    invalid_argument,
    parse_value,
    properties_of,
)
from holdfast.kernel.operation import Operation

_JSON_HINT = "Write it as JSON, encoded for a URL."
_MAX_VALUES_IN_QUERY = 1000
"""A judgement: far more than any operation takes, and parsed within milliseconds."""


class QueryReader:
    """Parses the arguments of one operation; leaves unknown names and invalid values to the validator."""

    def __init__(self, operation: Operation) -> None:
        self._properties = {item.name: item for item in properties_of(operation.input)}

    def arguments(self, query: bytes) -> dict[str, Any]:
        """Return the values by name: lists for arguments that may be repeated."""
        collected: dict[str, list[str]] = {}
        for name, text in _split_query(query):
            collected.setdefault(name, []).append(text)
        return {name: self._parse(name, texts) for name, texts in collected.items()}

    def _parse(self, name: str, texts: list[str]) -> Any:
        item = self._properties.get(name)
        if item is None:
            return texts[-1]
        if item.shape.kind == "array":
            return [_parse_value(item, item.shape.items, text) for text in texts]
        if len(texts) > 1:
            raise invalid_argument(name, "given once", "It takes one value.")
        return _parse_value(item, item.shape, texts[0])


def _parse_value(item: Property, shape: ValueShape, text: str) -> Any:
    """Return a value of the argument `item`, or of one element if it is a list; `shape` is that value's.

    The text `null` is null if the argument may be null, but a string remains this text.
    """
    if text == "null" and item.shape.nullable and shape.kind != "string":
        return None
    return parse_value(item.name, shape, text, _JSON_HINT)


def _split_query(query: bytes) -> list[tuple[str, str]]:
    """Return the decoded names and texts of a query, in which only the names are known to be UTF-8.

    Other bytes become surrogates, so that they can be refused with the name of their argument: `parse_value`
    checks the texts.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=_MAX_VALUES_IN_QUERY,
        )
    except ValueError:
        raise invalid_argument(
            "query", f"at most {_MAX_VALUES_IN_QUERY} values in ASCII", "Encode and shorten it."
        ) from None
    return [(check_utf8("query", name), text) for name, text in pairs]
