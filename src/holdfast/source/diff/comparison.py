"""Compares two versions of a file: changed lines in hunks, changed words in lines, and moved blocks.

Contract: only a line feed ends a line, and line ends count. Word marks are offsets into the displayed text,
without invisible characters. A moved block has at least three lines and enough letters to exclude chance
matches; indentation is ignored.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Literal, NamedTuple

from holdfast.kernel.untrusted import visible
from holdfast.storage.git.line_diff import Change, line_changes

Span = tuple[int, int]
LineKind = Literal["same", "added", "removed"]
ComparedLine = tuple[LineKind, bytes, int | None, int | None, list[Span]]
"""A line with its line end, its index in each version that has it, and the marks of changed words."""
LineKey = tuple[str, LineKind, int]
"""A file, a side, and the index of a removed or added line."""

_WORD = re.compile(r"\w+|\s+|.")
_LARGEST_BLOCK = 20_000
"""Words are compared in blocks of up to this many characters; a judgement that bounds the time."""
_MAX_MARKED = 0.7
"""The largest share of a line that may be marked; marking more says nothing. A judgement."""
_MOVED_LINES, _MOVED_LETTERS = 3, 20
"""The letters are those of `git diff --color-moved=blocks`: 20 alphanumeric characters."""


class Comparison(NamedTuple):
    """The lines of both versions, with line ends, and the changes."""

    old: list[bytes]
    new: list[bytes]
    changes: list[Change]

    @classmethod
    def of(cls, old: bytes, new: bytes) -> Comparison:
        """Compare two texts."""
        before, after = io.BytesIO(old).readlines(), io.BytesIO(new).readlines()
        return cls(before, after, list(line_changes(before, after)))

    def hunks(self, context: int) -> Iterator[Iterator[ComparedLine]]:
        """Yield the lines of each group of changes, with `context` lines around it."""
        first = 0
        for last, change in enumerate(self.changes, 1):
            if last == len(self.changes) or self.changes[last][0] - change[1] > 2 * context:
                yield self._lines(self.changes[first:last], context)
                first = last

    def _lines(self, hunk: Sequence[Change], context: int) -> Iterator[ComparedLine]:
        place, offset = max(hunk[0][0] - context, 0), hunk[0][2] - hunk[0][0]
        end = min(hunk[-1][1] + context, len(self.old))
        for old_start, old_end, new_start, new_end in (*hunk, (end, end, 0, 0)):
            for index in range(place, old_start):
                yield "same", self.old[index], index, index + offset, []
            old, new = self.old[old_start:old_end], self.new[new_start:new_end]
            was, now = changed_words([shown(line) for line in old], [shown(line) for line in new])
            yield from (("removed", line, old_start + at, None, was[at]) for at, line in enumerate(old))
            yield from (("added", line, None, new_start + at, now[at]) for at, line in enumerate(new))
            place, offset = old_end, new_end - old_end


def shown(line: bytes) -> str:
    """Return a line as displayed, without its line end."""
    return visible(line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace"))


def changed_words(old: Sequence[str], new: Sequence[str]) -> tuple[list[list[Span]], list[list[Span]]]:
    """Return the word marks of each line of a removed block and of the added one that replaced it."""
    if not old or not new or sum(map(len, chain(old, new))) > _LARGEST_BLOCK:
        return [[] for _ in old], [[] for _ in new]
    if len(old) == len(new) > 1:
        pairs = [changed_words([before], [after]) for before, after in zip(old, new, strict=True)]
        return [one for pair in pairs for one in pair[0]], [one for pair in pairs for one in pair[1]]
    before, after = ([[*_WORD.findall(line), "\n"] for line in lines] for lines in (old, new))
    changes = list(line_changes([*chain(*before)], [*chain(*after)]))
    return _marks(before, [one[:2] for one in changes]), _marks(after, [one[2:] for one in changes])


def _marks(lines: Sequence[Sequence[str]], changes: Sequence[Span]) -> list[list[Span]]:
    """Convert changed words of a block into spans in its lines."""
    changed = {index for start, end in changes for index in range(start, end)}
    found: list[list[Span]] = []
    number = 0
    for *words, _ in lines:
        text, place, spans = "".join(words), 0, list[Span]()
        for index, word in enumerate(words, number):
            if index in changed:
                start = spans.pop()[0] if spans and not text[spans[-1][1] : place].strip() else place
                spans.append((start, place + len(word)))
            place += len(word)
        number += len(words) + 1
        marked = sum(len(text[start:end].strip()) for start, end in spans)
        found.append(spans if marked <= _MAX_MARKED * len(text.strip()) else [])
    return found


def moved_lines(files: Mapping[str, Comparison]) -> dict[LineKey, LineKey]:
    """Map removed lines to where they moved, and added lines to where they came from."""
    gone: dict[tuple[bytes, ...], tuple[str, int, int, int]] = {}
    moved: dict[LineKey, LineKey] = {}
    for path, file in files.items():
        for number, (start, end, _, _) in enumerate(file.changes):
            for index, window in _windows(file.old, start, end):
                gone.setdefault(window, (path, number, index, end))
    for path, file in files.items():
        for number, (_, _, start, end) in enumerate(file.changes):
            for index, window in _windows(file.new, start, end):
                source, change, first, last = gone.get(window, (path, number, 0, 0))
                if (path, "added", index) in moved or (source, change) == (path, number):
                    continue
                pairs = zip(files[source].old[first:last], file.new[index:end], strict=False)
                block = [one for one, _ in takewhile(lambda pair: pair[0].strip() == pair[1].strip(), pairs)]
                if sum(map(str.isalnum, b"".join(block).decode("utf-8", "replace"))) >= _MOVED_LETTERS:
                    for step in range(len(block)):
                        moved[path, "added", index + step] = source, "removed", first + step
                        moved.setdefault((source, "removed", first + step), (path, "added", index + step))
    return moved


def _windows(lines: Sequence[bytes], start: int, end: int) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    for index in range(start, end - _MOVED_LINES + 1):
        yield index, tuple(line.strip() for line in lines[index : index + _MOVED_LINES])
