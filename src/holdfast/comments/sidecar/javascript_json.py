"""JSON exactly as JavaScript's `JSON.stringify(value, null, 2)` writes it.

The VS Code extension writes sidecars with it, so writing the same bytes keeps diffs small:
`printed(parsed(data))` returns `data` byte by byte when JavaScript wrote it. There is no final newline;
numbers follow ECMA-262, Number::toString (whole numbers without a point, an exponent for very small and large
ones); lone surrogates are escaped.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CACHED_ITEMS = 4096
"""Items whose text is cached. A chosen bound on memory."""

_compact = json.JSONEncoder(ensure_ascii=False).encode
_LARGEST_PLAIN = 21
_SMALLEST_PLAIN = -7
"""Exponents between which numbers are written without one, from ECMA-262, Number::toString."""


def parsed(data: bytes) -> Any:
    """Return the value that the bytes contain, or raise `UnreadableDocument`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableDocument("it is not UTF-8") from None
    text = text.removeprefix("\ufeff")
    try:
        return parse_json(text, parse_constant=_refuse, parse_float=_float, parse_int=_int)
    except UnreadableDocument as error:
        if error.line is None:
            raise
        if any(line.startswith("<<<<<<<") for line in text.split("\n")):
            raise UnreadableDocument("it holds the conflict markers of an unfinished merge") from None
        raise UnreadableDocument(f"it is not JSON (line {error.line})", error.line) from None


def printed(value: Any) -> bytes:
    """Return the bytes of a value."""
    try:
        text = _document(value) if isinstance(value, dict) else _written(value, "\n")
    except RecursionError:
        raise UnreadableDocument("it is nested too deeply") from None
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _document(value: dict[str, Any]) -> str:
    """Return the text of an object whose long lists are mostly unchanged since they were last written."""
    members = []
    for key, member in value.items():
        if isinstance(member, list) and member:
            items = ",\n    ".join(_item(_compact(item)) for item in member)
            text = f"[\n    {items}\n  ]"
        else:
            text = _written(member, "\n  ")
        members.append(f"{encode_basestring(key)}: {text}")
    return "{\n  " + ",\n  ".join(members) + "\n}" if members else "{}"


@lru_cache(maxsize=_CACHED_ITEMS)
def _item(compact: str) -> str:
    """Return the text of a list item inside an object; cached, because laying it out takes much longer."""
    return _written(json.loads(compact), "\n    ")


def _written(value: Any, newline: str) -> str:
    """Return a value as text; `newline` is the line break with the current indentation."""
    if type(value) is str:
        return encode_basestring(value)
    if isinstance(value, dict):
        inner = newline + "  "
        members = [f"{encode_basestring(key)}: {_written(member, inner)}" for key, member in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{newline}}}" if members else "{}"
    if isinstance(value, list | tuple):
        inner = newline + "  "
        items = [_written(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{newline}]" if items else "[]"
    return number_text(value) if isinstance(value, float) else json.dumps(value)


def number_text(value: float) -> str:
    """Return a finite number as JavaScript writes it."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0)
    if not whole.strip("0"):
        point -= len(fraction) - len(fraction.lstrip("0")) + len(whole)
    digits = digits.rstrip("0")
    return sign + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    """Return digits with the decimal point after the first `point` of them."""
    if len(digits) <= point <= _LARGEST_PLAIN:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _LARGEST_PLAIN:
        return f"{digits[:point]}.{digits[point:]}"
    if _SMALLEST_PLAIN < point - 1 < 0:
        return f"0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}e{point - 1:+d}"


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise UnreadableDocument("it holds a number that is too large")
    return value


def _int(text: str) -> int:
    _float(text)  # a number JavaScript cannot hold is unreadable for the extension
    return int(text)


def _refuse(text: str) -> Any:
    raise UnreadableDocument(f"{text} is not JSON")
