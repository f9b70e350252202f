"""Parameters in a comment's text, filled in for display and never written back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.comments.sidecar.note import AnchorSymbol

_PARAMETER = re.compile(r"\$\{(\w+)\}", re.ASCII)
_CLASSES = ("Class", "Interface", "Struct", "Enum", "Module", "Namespace")
_FUNCTIONS = ("Function", "Method", "Constructor")


def interpolated(text: str, params: Mapping[str, Mapping[str, Any]], symbol: AnchorSymbol | None) -> str:
    """Return a text in which each `${name}` shows its value, or `[name]` where there is none."""
    if "${" not in text:
        return text
    return _PARAMETER.sub(lambda match: _value(match[1], params.get(match[1]), symbol), text)


def _value(name: str, param: Mapping[str, Any] | None, symbol: AnchorSymbol | None) -> str:
    if param is None:
        return f"[{name}]"
    current = _from_symbol(param, symbol) if param.get("type") == "dynamic" else None
    value = current if current is not None else param.get("value", param.get("example"))
    return f"[{name}]" if value is None else str(value)


def _from_symbol(param: Mapping[str, Any], symbol: AnchorSymbol | None) -> str | None:
    """Return what a dynamic parameter says about the symbol as it is now, if its source is the symbol."""
    if symbol is None:
        return None
    source = param.get("source")
    if source == "function.name" and symbol.kind in _FUNCTIONS:
        return symbol.name
    if source == "class.name":
        return symbol.name if symbol.kind in _CLASSES else symbol.container
    if source == "variable.name" and symbol.kind in ("Variable", "Constant", "Field", "Property"):
        return symbol.name
    return None
