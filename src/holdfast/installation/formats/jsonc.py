"""A JSON parser that keeps positions in the text, and edits that add or remove one item.

Contract:
- `parse` accepts exactly JSON; with `relaxed` also comments and trailing commas, as editors do. A duplicate
  name in one object is an error, because parsers disagree on which value counts.
- Anything else is `DamagedText` with its line, whatever the depth or length of the text.
- An edit keeps comments, indentation, line endings and trailing commas; new text follows the existing style.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from holdfast.installation.formats.entry import DamagedText, line_at, newline_of

_DEEPEST = 200  # a chosen bound, well within the interpreter's recursion limit
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"', re.DOTALL)
_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))*")
_BLANKS = re.compile(r"[ \t]*")
_SCALAR = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")


@dataclass(frozen=True)
class JsonNode:
    """A value and its range in the text."""

    start: int
    end: int
    scalar: Any = None
    entries: tuple[JsonItem, ...] | None = None
    """The items of an object or array."""
    is_object: bool = False

    @cached_property
    def data(self) -> Any:
        """Return the plain value."""
        if self.entries is None:
            return self.scalar
        if self.is_object:
            return {entry.name: entry.node.data for entry in self.entries}
        return [entry.node.data for entry in self.entries]

    def member(self, name: str) -> JsonItem | None:
        """Return the member of an object by name."""
        named = (entry for entry in self.entries or () if self.is_object and entry.name == name)
        return next(named, None)


@dataclass(frozen=True)
class JsonItem:
    """A member of an object with its name, or an element of an array, without one."""

    start: int
    node: JsonNode
    name: str | None = None


@lru_cache(maxsize=4)
def parse(text: str, *, relaxed: bool) -> JsonNode:
    """Parse a document."""
    return _JsonReader(text, relaxed=relaxed).document()


def skip_blank(text: str, position: int) -> int:
    """Return the position after white space and comments."""
    while True:
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]  # it also matches the empty string
        comment = _COMMENT.match(text, position)
        if comment is None:
            return position
        position = comment.end()


class _JsonReader:
    def __init__(self, text: str, *, relaxed: bool) -> None:
        self.text = text
        self.relaxed = relaxed
        self.position = 0
        self.depth = 0

    def document(self) -> JsonNode:
        self.blank()
        node = self.value()
        self.blank()
        if self.position < len(self.text):
            self.fail("there is text after the end of the document")
        return node

    def value(self) -> JsonNode:
        character = self.peek()
        if character in "{[" and character:
            return self.container(character)
        start = self.position
        found = (_STRING if character == '"' else _SCALAR).match(self.text, start)
        if found is None:
            self.fail("a value was expected" if character else "the document ends too early")
        try:
            scalar = json.loads(found.group())
        except ValueError:
            self.fail(f"{found.group()[:40]!r} is not a value")
        self.position = found.end()
        return JsonNode(start, self.position, scalar)

    def container(self, opening: str) -> JsonNode:
        start = self.position
        closing = "}" if opening == "{" else "]"
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"values are nested more than {_DEEPEST} deep")
        entries = self.entries(closing)
        self.depth -= 1
        return JsonNode(start, self.position, entries=entries, is_object=opening == "{")

    def entries(self, closing: str) -> tuple[JsonItem, ...]:
        entries: list[JsonItem] = []
        names: set[str] = set()
        self.position += 1
        self.blank()
        while self.peek() != closing:
            entry = self.entry(names) if closing == "}" else JsonItem(self.position, self.value())
            entries.append(entry)
            self.blank()
            if not self.comma(closing):
                break
        self.expect(closing)
        return tuple(entries)

    def entry(self, names: set[str]) -> JsonItem:
        start = self.position
        if self.peek() != '"':
            self.fail(
                "a name in double quotes was expected" if self.peek() else "the document ends too early"
            )
        name = self.value().scalar
        if name in names:
            self.fail(f"the name {name!r} is given twice", start)
        names.add(name)
        self.blank()
        self.expect(":")
        self.blank()
        return JsonItem(start, self.value(), name)

    def comma(self, closing: str) -> bool:
        """Skip a comma; return whether there was one."""
        if self.peek() != ",":
            return False
        comma = self.position
        self.position += 1
        self.blank()
        if self.peek() == closing and not self.relaxed:
            self.fail(f"there is a comma before {closing!r}", comma)
        return True

    def expect(self, character: str) -> None:
        if self.peek() != character:
            self.fail(f"{character!r} was expected" if self.peek() else "the document ends too early")
        self.position += 1

    def blank(self) -> None:
        self.position = _SPACE.match(self.text, self.position).end()  # type: ignore[union-attr]
        if self.text.startswith("/", self.position):
            after = skip_blank(self.text, self.position)
            if after > self.position and not self.relaxed:
                self.fail("comments are not allowed in this file")
            self.position = after

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def fail(self, problem: str, position: int | None = None) -> NoReturn:
        raise DamagedText(line_at(self.text, self.position if position is None else position), problem)


def document(value: Any) -> str:
    """Return a document with a value."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def inserted(text: str, container: JsonNode, value: Any, name: str | None = None) -> str:
    """Return a text with an item added at the end of an object or array."""
    assert container.entries is not None
    if not container.entries:
        return _first(text, container, value, name)
    last = container.entries[-1].node.end
    comma = _comma_after(text, last)
    after = last if comma is None else comma + 1
    if "\n" not in text[container.start : container.end]:
        return text[:after] + ("," if comma is None else "") + " " + _rendered(value, name) + text[after:]
    place = _end(_REST_OF_LINE, text, after)
    indentation = _indentation_of_entries(text, container)
    entry = newline_of(text) + indentation + _rendered(value, name, text, indentation)
    if comma is None:
        return text[:last] + "," + text[last:place] + entry + text[place:]
    return text[:place] + entry + "," + text[place:]


def without(text: str, container: JsonNode, entry: JsonItem) -> str:
    """Return a text without one item of an object or array."""
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


def _first(text: str, container: JsonNode, value: Any, name: str | None) -> str:
    newline, base = newline_of(text), _indentation(text, container.start)
    indentation = base + _unit(text)
    inside = text[container.start + 1 : container.end - 1]
    place = container.start + 1 + len(inside.rstrip())
    rest = text[place:]
    if "\n" not in text[place : container.end]:
        rest = newline + base + rest.lstrip(" \t")
    return text[:place] + newline + indentation + _rendered(value, name, text, indentation) + rest


def _cut(text: str, start: int, end: int) -> str:
    """Remove a range, and its line if nothing else is on it."""
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


def _indentation_of_entries(text: str, container: JsonNode) -> str:
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
