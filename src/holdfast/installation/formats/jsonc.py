"""A JSON parser that records positions in the text, and edits that add or remove one item.

Contract:
- `parse` accepts exactly JSON; with `allows_comments`, also comments and trailing commas, as editors do. A
  duplicate name in an object is an error, because parsers disagree on which value to use.
- Any other text raises `DamagedText` with the line of the problem, whatever its depth or length.
- An edit keeps comments, indentation, line endings and trailing commas; new text follows the existing style.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from holdfast.installation.formats.entry import DamagedText, line_at, newline_of

_MAX_NESTING_DEPTH = 200
"""A judgement: a level takes four calls, so this is within the interpreter's recursion limit of 1000, and no
configuration is that deep."""
_MAX_QUOTED_CHARACTERS = 40
"""Of a value that is refused. A judgement: enough to find it in its line."""
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
    """The position after the value."""
    scalar: Any = None
    entries: tuple[JsonItem, ...] | None = None
    """The items of an object or array; None for a scalar."""
    is_object: bool = False

    @cached_property
    def data(self) -> Any:
        """The value in Python's types."""
        if self.entries is None:
            return self.scalar
        if self.is_object:
            return {entry.name: entry.node.data for entry in self.entries}
        return [entry.node.data for entry in self.entries]

    def member(self, name: str) -> JsonItem | None:
        if not self.is_object:
            return None
        return next((entry for entry in self.entries or () if entry.name == name), None)


@dataclass(frozen=True)
class JsonItem:
    """A member of an object with its name, or an element of an array, without one."""

    start: int
    """The position of the name or, without one, of the value."""
    node: JsonNode
    name: str | None = None


@lru_cache(maxsize=4)  # an edit parses the text before, the text after and the original several times
def parse(text: str, *, allows_comments: bool) -> JsonNode:
    """Return the value of a document; raise `DamagedText` if it is not one."""
    return _JsonReader(text, allows_comments=allows_comments).document()


def skip_blank(text: str, position: int) -> int:
    """Return the position after white space and comments."""
    while True:
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]  # it also matches the empty string
        comment = _COMMENT.match(text, position)
        if comment is None:
            return position
        position = comment.end()


class _JsonReader:
    """A recursive descent parser: each method reads from `position` and advances it."""

    def __init__(self, text: str, *, allows_comments: bool) -> None:
        self.text = text
        self.allows_comments = allows_comments
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
        if character and character in "{[":  # at the end of the text there is no character
            return self.container(character)
        start = self.position
        pattern = _STRING if character == '"' else _SCALAR
        match = pattern.match(self.text, start)
        if match is None:
            self.fail("a value was expected" if character else "the document ends too early")
        try:
            scalar = json.loads(match.group())
        except ValueError:
            self.fail(f"{match.group()[:_MAX_QUOTED_CHARACTERS]!r} is not a value")
        self.position = match.end()
        return JsonNode(start, self.position, scalar)

    def container(self, opening: str) -> JsonNode:
        start = self.position
        closing = "}" if opening == "{" else "]"
        self.depth += 1
        if self.depth > _MAX_NESTING_DEPTH:
            self.fail(f"values are nested more than {_MAX_NESTING_DEPTH} deep")
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
        if self.peek() == closing and not self.allows_comments:
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
            if after > self.position and not self.allows_comments:
                self.fail("comments are not allowed in this file")
            self.position = after

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def fail(self, problem: str, position: int | None = None) -> NoReturn:
        raise DamagedText(line_at(self.text, self.position if position is None else position), problem)


def to_document(value: Any) -> str:
    """Return a value as the text of a file."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def insert(text: str, container: JsonNode, value: Any, name: str | None = None) -> str:
    """Return the text with an item added at the end of an object or array."""
    assert container.entries is not None
    if not container.entries:
        return _insert_first(text, container, value, name)
    last = container.entries[-1].node.end
    comma = _comma_after(text, last)
    after = last if comma is None else comma + 1
    if "\n" not in text[container.start : container.end]:
        separator = ", " if comma is None else " "
        return text[:after] + separator + _encode_item(value, name) + text[after:]
    line_end = _match_end(_REST_OF_LINE, text, after)
    indentation = _indentation_of_entries(text, container)
    entry = newline_of(text) + indentation + _encode_item(value, name, text, indentation)
    if comma is None:
        return text[:last] + "," + text[last:line_end] + entry + text[line_end:]
    return text[:line_end] + entry + "," + text[line_end:]


def delete(text: str, container: JsonNode, entry: JsonItem) -> str:
    """Return the text without one item of an object or array."""
    assert container.entries is not None
    index = container.entries.index(entry)
    comma = _comma_after(text, entry.node.end)
    end = entry.node.end if comma is None else comma + 1
    text = _delete_range(text, entry.start, end)
    if comma is None and index > 0:
        before = _comma_after(text, container.entries[index - 1].node.end)
        assert before is not None
        text = text[:before] + text[before + 1 :]
    return text


def _insert_first(text: str, container: JsonNode, value: Any, name: str | None) -> str:
    newline = newline_of(text)
    base = _indentation(text, container.start)
    indentation = base + _indentation_unit(text)
    inside = text[container.start + 1 : container.end - 1]
    position = container.start + 1 + len(inside.rstrip())
    rest = text[position:]
    if "\n" not in text[position : container.end]:
        rest = newline + base + rest.lstrip(" \t")
    return text[:position] + newline + indentation + _encode_item(value, name, text, indentation) + rest


def _delete_range(text: str, start: int, end: int) -> str:
    """Return the text without a range, and without its line if nothing else is on it."""
    line = text.rfind("\n", 0, start) + 1
    after = _match_end(_BLANKS, text, end)
    is_first_on_line = line > 0 and not text[line:start].strip(" \t")
    if is_first_on_line and text[after : after + 1] in ("\r", "\n"):
        before = line - (2 if text[line - 2 : line] == "\r\n" else 1)
        return text[:before] + text[after:]
    if text[after : after + 1] in ("}", "]"):
        return text[:start].rstrip(" ") + text[end:]
    return text[:start] + text[after:]


def _comma_after(text: str, position: int) -> int | None:
    """Return the position of a comma that follows, after white space and comments; None if there is none."""
    position = skip_blank(text, position)
    return position if text[position : position + 1] == "," else None


def _encode_item(value: Any, name: str | None, text: str = "", indentation: str | None = None) -> str:
    """Return an item as JSON: in the style of `text` if it has an indentation, else on one line."""
    unit = None if indentation is None else _indentation_unit(text)
    encoded = json.dumps(value, indent=unit, ensure_ascii=False)
    if indentation is not None:
        encoded = encoded.replace("\n", newline_of(text) + indentation)
    return encoded if name is None else f"{json.dumps(name, ensure_ascii=False)}: {encoded}"


def _indentation_of_entries(text: str, container: JsonNode) -> str:
    assert container.entries is not None
    first = container.entries[0].start
    line = text.rfind("\n", 0, first) + 1
    if not text[line:first].strip(" \t"):
        return text[line:first]
    return _indentation(text, container.start) + _indentation_unit(text)


def _indentation(text: str, position: int) -> str:
    line = text.rfind("\n", 0, position) + 1
    return text[line : _match_end(_BLANKS, text, line)]


def _indentation_unit(text: str) -> str:
    """Return the indentation of the first indented line, or two spaces."""
    match = _INDENTED.search(text)
    return "  " if match is None else match[1]


def _match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()
