"""One entry into JSON text, or out of it, without touching the rest.

Comments, indentation, line ends and a comma after the last entry stay as they are; what is new takes
after what is there.
"""

from __future__ import annotations

import json
import re
from typing import Any

from holdfast.installation.formats.jsonc import Entry, Node, skip_blank
from holdfast.installation.formats.part import newline_of

_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))*")
_BLANKS = re.compile(r"[ \t]*")


def document(value: Any) -> str:
    """Return a whole document that holds a value."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def inserted(text: str, container: Node, value: Any, name: str | None = None) -> str:
    """Return a text with one more entry at the end of an object or array."""
    assert container.entries is not None
    if not container.entries:
        return _first(text, container, value, name)
    last = container.entries[-1].node.end
    comma = _comma_after(text, last)
    if "\n" not in text[container.start : container.end]:
        place = last if comma is None else comma + 1
        return text[:place] + ("," if comma is None else "") + " " + _rendered(value, name) + text[place:]
    return _last_of_many(text, container, value, name)


def without(text: str, container: Node, entry: Entry) -> str:
    """Return a text without one entry of an object or array."""
    assert container.entries is not None
    index = container.entries.index(entry)
    comma = _comma_after(text, entry.node.end)
    end = entry.node.end if comma is None else comma + 1
    text = _cut(text, entry.start, end)
    if comma is None and index > 0:
        before = _comma_after(text, container.entries[index - 1].node.end)
        assert before is not None
        text = text[:before] + text[before + 1 :]
    return text


def _first(text: str, container: Node, value: Any, name: str | None) -> str:
    newline, base = newline_of(text), _indentation(text, container.start)
    indentation = base + _unit(text)
    inside = text[container.start + 1 : container.end - 1]
    place = container.start + 1 + len(inside.rstrip())
    rest = text[place:]
    if "\n" not in text[place : container.end]:
        rest = newline + base + rest.lstrip(" \t")
    return text[:place] + newline + indentation + _rendered(value, name, text, indentation) + rest


def _last_of_many(text: str, container: Node, value: Any, name: str | None) -> str:
    assert container.entries is not None
    last = container.entries[-1].node.end
    comma = _comma_after(text, last)
    after = last if comma is None else comma + 1
    place = _end(_REST_OF_LINE, text, after)
    indentation = _indentation_of_entries(text, container)
    entry = newline_of(text) + indentation + _rendered(value, name, text, indentation)
    if comma is None:
        return text[:last] + "," + text[last:place] + entry + text[place:]
    return text[:place] + entry + "," + text[place:]


def _cut(text: str, start: int, end: int) -> str:
    """Remove a stretch, and its line when nothing else is on it."""
    line = text.rfind("\n", 0, start) + 1
    after = _end(_BLANKS, text, end)
    alone_before = line > 0 and not text[line:start].strip(" \t")
    if alone_before and text[after : after + 1] in ("\r", "\n"):
        before = line - (2 if text[line - 2 : line] == "\r\n" else 1)
        return text[:before] + text[after:]
    if text[after : after + 1] in ("}", "]"):
        return text[:start].rstrip(" ") + text[end:]
    return text[:start] + text[after:]


def _comma_after(text: str, position: int) -> int | None:
    position = skip_blank(text, position)
    return position if text[position : position + 1] == "," else None


def _rendered(value: Any, name: str | None, text: str = "", indentation: str | None = None) -> str:
    unit = None if indentation is None else _unit(text)
    spelled = json.dumps(value, indent=unit, ensure_ascii=False)
    if indentation is not None:
        spelled = spelled.replace("\n", newline_of(text) + indentation)
    return spelled if name is None else f"{json.dumps(name, ensure_ascii=False)}: {spelled}"


def _indentation_of_entries(text: str, container: Node) -> str:
    assert container.entries is not None
    first = container.entries[0].start
    line = text.rfind("\n", 0, first) + 1
    if not text[line:first].strip(" \t"):
        return text[line:first]
    return _indentation(text, container.start) + _unit(text)


def _indentation(text: str, position: int) -> str:
    line = text.rfind("\n", 0, position) + 1
    return text[line : _end(_BLANKS, text, line)]


def _unit(text: str) -> str:
    found = _INDENTED.search(text)
    return "  " if found is None else found[1]


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return position if found is None else found.end()
