"""Puts a tool's answer together: structured data within its budget, and content that says the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from holdfast.faces.mcp.answers.budget import shorten, shorten_text
from holdfast.faces.mcp.answers.wording import complete_texts, rest_of
from holdfast.faces.mcp.results import result_items
from holdfast.kernel.content import Content, Embedded, Text
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Operation


def bounded_answer(
    operation: Operation, output: Output, max_bytes: int
) -> tuple[list[Content], dict[str, Any] | None]:
    """Return the content and the structured data of a result, each in about `max_bytes` at most."""
    items = result_items(operation, output)
    if not operation.structured:
        return items, None
    data = shorten(output.wire(), max_bytes, operation.details)
    if _is_document(operation, output):
        return items, data
    if len(items) == 1 and isinstance(items[0], Text):
        return [Text(text) for text in complete_texts(items[0].text, data, max_bytes)], data
    items = [_bounded(item, max_bytes) for item in items]
    said = "\n".join(item.text or "" for item in items if isinstance(item, Text | Embedded))
    rest = rest_of(said, data)
    return [*items, Text(rest)] if rest else items, data


def _is_document(operation: Operation, output: Output) -> bool:
    """Return whether the text is a document for a program, such as SARIF: a part of it is worth nothing."""
    chosen = getattr(output, "format", "json")
    return bool(operation.report_formats) and chosen not in (*operation.report_formats, "json")


def _bounded(item: Content, max_bytes: int) -> Content:
    if isinstance(item, Text | Embedded) and item.text is not None:
        return replace(item, text=shorten_text(item.text, max_bytes))
    return item
