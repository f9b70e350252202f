"""JSON exactly as JavaScript's `JSON.stringify(value, null, 2)` writes it.

The VS Code extension writes sidecars with it, so writing the same bytes keeps diffs small:
`stringify(parse(data))` returns `data` byte by byte when JavaScript wrote it. There is no final newline;
numbers follow ECMA-262, Number::toString (whole numbers without a point, an exponent for very small and large
ones); lone surrogates are escaped. Times are formatted as JavaScript does, too.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which JavaScript strings may contain and UTF-8 cannot encode."""

_MAX_CACHED_ITEMS = 4096
"""List items whose text is cached. A judgement: a few megabytes, enough for the sidecars of a session."""

_compact = json.JSONEncoder(ensure_ascii=False).encode

_MAX_PLAIN_DIGITS = 21
"""Numbers with more digits before the point are written with an exponent: ECMA-262, Number::toString."""

_MIN_PLAIN_EXPONENT = -6
"""Numbers with a smaller exponent are written with it: ECMA-262, Number::toString."""


def parse(data: bytes) -> Any:
    """Parse the bytes, or raise `UnreadableDocument`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableDocument("it is not UTF-8") from None
    text = text.removeprefix("\ufeff")
    try:
        return parse_json(
            text,
            parse_constant=_refuse_constant,
            parse_float=_parse_float,
            parse_int=_parse_int,
            object_pairs_hook=_parse_object,
        )
    except UnreadableDocument as error:
        if error.line is None:
            raise
        if any(line.startswith("<<<<<<<") for line in text.split("\n")):
            raise UnreadableDocument("it holds the conflict markers of an unfinished merge") from None
        raise UnreadableDocument(f"it is not JSON (line {error.line})", error.line) from None


def stringify(value: Any) -> bytes:
    """Return the bytes that JavaScript would write for a value."""
    try:
        text = _stringify_document(value) if isinstance(value, dict) else _stringify_value(value, "\n")
    except RecursionError:
        raise UnreadableDocument("it is nested too deeply") from None
    return LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _stringify_document(value: dict[str, Any]) -> str:
    """Write a document; list items are cached, because most of them do not change between writes."""
    members = []
    for key, member in value.items():
        if isinstance(member, list) and member:
            items = ",\n    ".join(_stringify_item(_compact(item)) for item in member)
            text = f"[\n    {items}\n  ]"
        else:
            text = _stringify_value(member, "\n  ")
        members.append(f"{encode_basestring(key)}: {text}")
    return "{\n  " + ",\n  ".join(members) + "\n}" if members else "{}"


@lru_cache(maxsize=_MAX_CACHED_ITEMS)
def _stringify_item(compact: str) -> str:
    """Write an item of a list in the document, given as compact JSON, which the cache can use as a key."""
    return _stringify_value(json.loads(compact), "\n    ")


def _stringify_value(value: Any, newline: str) -> str:
    """Write a value; `newline` is a line break followed by the current indentation."""
    if type(value) is str:
        return encode_basestring(value)
    if isinstance(value, dict):
        inner = newline + "  "
        members = [
            f"{encode_basestring(key)}: {_stringify_value(member, inner)}" for key, member in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(members)}{newline}}}" if members else "{}"
    if isinstance(value, list | tuple):
        inner = newline + "  "
        items = [_stringify_value(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{newline}]" if items else "[]"
    return number_text(value) if isinstance(value, float) else json.dumps(value)


def number_text(value: float) -> str:
    """Return a finite number as JavaScript writes it, with as few digits as Python writes."""
    if value == 0:
        return "0"
    negative, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = _place_decimal_point("".join(map(str, digits)), len(digits) + int(exponent))
    return f"-{text}" if negative else text


def _place_decimal_point(digits: str, point: int) -> str:
    """Return digits with the decimal point after `point` of them; a negative one stands for leading zeros."""
    if len(digits) <= point <= _MAX_PLAIN_DIGITS:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _MAX_PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if _MIN_PLAIN_EXPONENT <= point - 1 < 0:
        return f"0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}e{point - 1:+d}"


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableDocument("an object has the same key twice, and only one of its values could be kept")
    return members


def _parse_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise UnreadableDocument("it holds a number that is too large")
    return value


def _parse_int(text: str) -> int:
    _parse_float(text)  # raises: the extension cannot read a number that JavaScript cannot represent
    return int(text)


def _refuse_constant(text: str) -> Any:
    raise UnreadableDocument(f"{text} is not JSON")


def javascript_timestamp(time: datetime) -> str:
    """Format a time as JavaScript does: UTC, milliseconds, Z."""
    time = time.astimezone(UTC)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z"
