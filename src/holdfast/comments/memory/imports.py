"""Memories from other programs' files: Markdown lists, and the export of beads.

- Markdown: each item of an outermost list is one memory, with everything in it. The heading above it is put
  before it, because an item often makes sense only below its heading.
- beads: JSON lines, of which those with `"_type": "memory"` have a `key` and a `value`
  (`bd export --include-memories`). Its issues are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json

_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?P<space>\s+)(?:\[[ xX]\]\s+)?")
"""The marker of a list item, and the box of a check list."""


def memories_in(text: str) -> Iterator[str]:
    """Yield the texts of the memories in a file of either format."""
    return _from_beads(text) if text.lstrip().startswith("{") else _from_markdown(text)


def _from_beads(text: str) -> Iterator[str]:
    for line in text.splitlines():
        try:
            record = parse_json(line)
        except UnreadableDocument:
            continue
        if isinstance(record, dict) and record.get("_type") == "memory":
            key, value = record.get("key"), record.get("value")
            if isinstance(value, str) and value.strip():
                yield f"{key}: {value}" if isinstance(key, str) and key else value


def _from_markdown(text: str) -> Iterator[str]:
    from markdown_it import MarkdownIt  # only imports need it

    lines, heading = text.splitlines(), ""
    tokens = MarkdownIt("commonmark").parse(text)
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = tokens[number + 1].content
        elif token.type == "list_item_open" and token.level == 1 and token.map is not None:
            first, *rest = lines[slice(*token.map)]
            item = "\n".join([_MARK.sub("", first, count=1), dedent("\n".join(rest))]).strip()
            if item:
                yield f"{heading}: {item}" if heading else item
