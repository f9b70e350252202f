"""A source text without its comments, and the places that the comments spoke of.

A comment stands before a line of code, or trails one. Comments on lines of their own that follow each other
are one. One that is followed by a blank line, by nothing, or by a line without a word speaks of no line.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.anchors.source_tokens import Comment, comments
from holdfast.syntax.languages import Language
from holdfast.syntax.parse import Parsed, parse

MIN_WORDS = 3
MIN_CHARACTERS = 15


@dataclass(frozen=True)
class Stripped:
    """A text without comments; `spoken_of` maps a comment to the line of the code it belongs to."""

    text: str
    spoken_of: dict[str, int]


@dataclass(frozen=True)
class _Remark:
    text: str
    first: int
    last: int
    trailing: bool


def strip(language: Language, text: str) -> Stripped:
    """Take the comments out of a text and note where they were; a comment said twice is no label."""
    parsed = parse(language, text)
    found = comments(parsed)
    bare, whole = _without(parsed, found)
    numbers = _numbers(bare, whole)
    spoken: dict[str, int] = {}
    twice: set[str] = set()
    for remark in _remarks(found, whole):
        line = remark.first if remark.trailing else remark.last + 1
        if remark.text in spoken:
            twice.add(remark.text)
        if line in numbers and _telling(remark) and any(map(str.isalnum, bare[line - 1])):
            spoken[remark.text] = numbers[line]
    kept = [line for number, line in enumerate(bare, 1) if number in numbers]
    return Stripped("\n".join(kept), {text: line for text, line in spoken.items() if text not in twice})


def _without(parsed: Parsed, found: tuple[Comment, ...]) -> tuple[list[str], set[int]]:
    """Return the lines without comments, and those that held nothing else."""
    rest = bytearray(parsed.source)
    touched: set[int] = set()
    for comment in found:
        start, end = comment.span
        rest[start:end] = bytes(byte if byte in b"\r\n" else 0x20 for byte in parsed.source[start:end])
        touched.update(range(comment.start_line, comment.end_line + 1))
    lines = rest.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    for number in touched:
        lines[number - 1] = lines[number - 1].rstrip()
    return lines, {number for number in touched if not lines[number - 1].strip()}


def _numbers(lines: list[str], whole: set[int]) -> dict[int, int]:
    kept = (number for number in range(1, len(lines) + 1) if number not in whole)
    return {number: place for place, number in enumerate(kept, 1)}


def _remarks(found: tuple[Comment, ...], whole: set[int]) -> list[_Remark]:
    remarks: list[_Remark] = []
    for comment in found:
        trailing = any(line not in whole for line in range(comment.start_line, comment.end_line + 1))
        text, first = _words(comment.text), comment.start_line
        if not trailing and remarks and not remarks[-1].trailing and remarks[-1].last + 1 == first:
            before = remarks.pop()
            text, first = f"{before.text} {text}".strip(), before.first
        remarks.append(_Remark(text, first, comment.end_line, trailing))
    return remarks


def _words(text: str) -> str:
    return " ".join(word for word in text.split() if any(map(str.isalnum, word)))


def _telling(remark: _Remark) -> bool:
    return remark.first > 1 and len(remark.text) >= MIN_CHARACTERS and len(remark.text.split()) >= MIN_WORDS
