"""Suggestions: a fenced block in a remark with the lines that should replace those the remark is about.

The page writes a remark as its `place`, the quoted lines, and the text:

    About the work tree, lines 3-4:
    > if not tide:
    >     return None

    ```suggestion
    if tide is None:
        return None
    ```

Contract: a suggestion is applied only to the lines it quotes. They are compared as they are displayed; every
other byte of the file stays, and the new lines end as the first old one does.
"""

from __future__ import annotations

import io
import re
from typing import NamedTuple

from holdfast.inbox.envelope import is_line_range
from holdfast.inbox.place import PLACE
from holdfast.kernel.untrusted import visible

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})suggestion[ \t]*\n(?P<lines>(?:[^\n]*\n)*?)(?P=fence)`*[ \t]*$", re.MULTILINE
)
_MIN_LETTERS = 20
"""Letters and digits by which lines are recognised at another place, as for moved blocks in `git diff`."""


class SuggestedLines(NamedTuple):
    """The lines to replace, counted from 1, and what to replace them with."""

    first: int
    last: int
    original: tuple[str, ...] | None
    """The lines as they were displayed; None if the remark does not quote all of them."""
    replacement: tuple[str, ...]


class Replacement(NamedTuple):
    """The content of a file in which lines were replaced, and the first of the new lines, from 1."""

    content: bytes
    first: int


def suggested_lines(comment: str, line: str | None) -> SuggestedLines | None:
    """Return what a remark suggests for the lines it is about, or None."""
    place = PLACE.match(comment)
    lines = place["lines"] if place else line
    block = _BLOCK.search(comment, place.end() if place else 0)
    if block is None or lines is None or not is_line_range(lines) or (place and place["removed"]):
        return None
    first, _, last = lines.partition("-")
    first_line, last_line = int(first), int(last or first)
    quote = tuple(text[2:] for text in place["quote"].split("\n")[:-1]) if place else ()
    is_whole = len(quote) == last_line - first_line + 1
    replacement = tuple(block["lines"].split("\n")[:-1])
    return SuggestedLines(first_line, last_line, quote if is_whole else None, replacement)


def replace_lines(content: bytes, suggested: SuggestedLines) -> Replacement | None:
    """Return the content with the suggestion, or None if it does not have the original lines.

    If they are not where they were, they are replaced where they are found, if that is only one place and
    they are long enough to be recognised.
    """
    lines = io.BytesIO(content).readlines()
    shown = [_displayed(line) for line in lines]
    original = [visible(line) for line in suggested.original or ()]
    start = _find(shown, original, suggested.first - 1) if original else None
    if start is None:
        return None
    end = start + len(original)
    line_end = b"\r\n" if lines[start].endswith(b"\r\n") else b"\n"
    added = [text.rstrip("\r").encode() + line_end for text in suggested.replacement]
    if added and not lines[end - 1].endswith(b"\n"):
        added[-1] = added[-1].removesuffix(line_end)
    return Replacement(b"".join([*lines[:start], *added, *lines[end:]]), start + 1)


def _find(shown: list[str], original: list[str], expected: int) -> int | None:
    size = len(original)
    if shown[expected : expected + size] == original:
        return expected
    if sum(map(str.isalnum, "".join(original))) < _MIN_LETTERS:
        return None
    found = [index for index, line in enumerate(shown) if line == original[0]]
    places = [index for index in found if shown[index : index + size] == original]
    return places[0] if len(places) == 1 else None


def _displayed(line: bytes) -> str:
    """Return the text of a line as it is displayed, without its line end."""
    return visible(line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace"))
