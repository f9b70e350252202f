"""Compares two versions of a file: changed lines in hunks, changed words in lines, and moved blocks.

Contract: only a line feed ends a line, and lines with different line ends differ. Word marks are offsets into
the displayed text, which has no invisible characters. A moved block has at least three lines, and enough
letters to exclude chance matches; its indentation is ignored.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Literal, NamedTuple

from holdfast.kernel.untrusted import visible
from holdfast.storage.git.line_diff import ChangedSpan, line_changes

Span = tuple[int, int]
LineKind = Literal["same", "added", "removed"]
_WORD = re.compile(r"\w+|\s+|.")
_MAX_COMPARED_CHARACTERS = 20_000
"""Characters of a changed block whose words are compared. A judgement: larger blocks take too long."""

_MAX_MARKED_SHARE = 0.7
"""Share of a line that may be marked. A judgement: if more of it differs, the marks do not help."""

_MIN_MOVED_LINES = 3
"""Lines that a moved block needs. A judgement: shorter blocks are often equal by chance."""

_MIN_MOVED_LETTERS = 20
"""Letters and digits that a moved block needs, as in `git diff --color-moved=blocks`."""


class ComparedLine(NamedTuple):
    """A line of one version or, if unchanged, of both."""

    kind: LineKind
    line: bytes
    """The line with its line end."""
    old: int | None
    """Its index in the old version."""
    new: int | None
    """Its index in the new version."""
    marks: list[Span]
    """The changed words, as start and end in the displayed text."""


class LineKey(NamedTuple):
    """A removed or an added line of a file."""

    path: str
    kind: LineKind
    position: int
    """The index of the line in its version."""


class _RemovedBlock(NamedTuple):
    """Removed lines that may have moved."""

    path: str
    change_number: int
    start: int
    end: int
    """The end of the change, exclusive."""


class Comparison(NamedTuple):
    """The lines of both versions, with line ends, and the changes."""

    old: list[bytes]
    new: list[bytes]
    changes: list[ChangedSpan]

    @classmethod
    def of(cls, old: bytes, new: bytes) -> Comparison:
        before, after = io.BytesIO(old).readlines(), io.BytesIO(new).readlines()
        return cls(before, after, list(line_changes(before, after)))

    @property
    def line_counts(self) -> tuple[int, int]:
        """How many lines were added, and how many removed."""
        added = sum(end - start for _, _, start, end in self.changes)
        return added, sum(end - start for start, end, _, _ in self.changes)

    def hunks(self, context: int, shown: Iterable[Span] = ()) -> Iterator[Iterator[ComparedLine]]:
        """Yield the lines of each group of changes, with `context` lines around it.

        `shown` has further spans of lines of the new version; what touches is one group.
        """
        spans = [(change.new_start - context, change.new_end + context) for change in self.changes]
        start, end = None, 0
        for next_start, next_end in sorted([*spans, *shown]):
            if start is None:
                start, end = next_start, next_end
            elif next_start <= end:
                end = max(end, next_end)
            else:
                yield self._lines(start, end)
                start, end = next_start, next_end
        if start is not None:
            yield self._lines(start, end)

    def _lines(self, start: int, end: int) -> Iterator[ComparedLine]:
        """Yield the lines of a span of the new version, and those that were removed in it."""
        start, end = max(start, 0), min(end, len(self.new))
        first = bisect_left(self.changes, start, key=lambda change: change.new_start)
        last = bisect_right(self.changes, end, key=lambda change: change.new_end)
        changes, before = self.changes[first:last], self.changes[first - 1] if first else None
        offset = before.old_end - before.new_end if before else 0  # from a new index to the old one
        next_new = start
        for old_start, old_end, new_start, new_end in (*changes, ChangedSpan(0, 0, end, end)):
            for index in range(next_new, new_start):
                yield ComparedLine("same", self.old[index + offset], index + offset, index, [])
            old, new = self.old[old_start:old_end], self.new[new_start:new_end]
            old_marks, new_marks = changed_words(
                [displayed_text(line) for line in old], [displayed_text(line) for line in new]
            )
            for index, (line, marks) in enumerate(zip(old, old_marks, strict=True), old_start):
                yield ComparedLine("removed", line, index, None, marks)
            for index, (line, marks) in enumerate(zip(new, new_marks, strict=True), new_start):
                yield ComparedLine("added", line, None, index, marks)
            next_new, offset = new_end, old_end - new_end


def displayed_text(line: bytes) -> str:
    """Return the text of a line as it is displayed, without its line end."""
    return visible(line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace"))


def changed_words(old: Sequence[str], new: Sequence[str]) -> tuple[list[list[Span]], list[list[Span]]]:
    """Return the word marks of each line of a removed block and of the added one that replaced it."""
    if not old or not new or sum(map(len, chain(old, new))) > _MAX_COMPARED_CHARACTERS:
        return [[] for _ in old], [[] for _ in new]
    if len(old) == len(new) > 1:
        old_marks, new_marks = [], []
        for old_line, new_line in zip(old, new, strict=True):
            (old_spans,), (new_spans,) = changed_words([old_line], [new_line])
            old_marks.append(old_spans)
            new_marks.append(new_spans)
        return old_marks, new_marks
    old_words, new_words = ([[*_WORD.findall(line), "\n"] for line in lines] for lines in (old, new))
    changes = list(line_changes([*chain(*old_words)], [*chain(*new_words)]))
    old_changes = [(change.old_start, change.old_end) for change in changes]
    new_changes = [(change.new_start, change.new_end) for change in changes]
    return _spans_in_lines(old_words, old_changes), _spans_in_lines(new_words, new_changes)


def _spans_in_lines(lines: Sequence[Sequence[str]], changes: Sequence[Span]) -> list[list[Span]]:
    """Convert changed words of a block into spans in its lines.

    `lines` are the words of each line, the last one a line feed. `changes` are ranges of word numbers,
    counted over all lines. Changed words are joined with white space between them.
    """
    changed = {number for start, end in changes for number in range(start, end)}
    result: list[list[Span]] = []
    first_number = 0
    for *words, _ in lines:
        text, offset, spans = "".join(words), 0, list[Span]()
        for number, word in enumerate(words, first_number):
            end = offset + len(word)
            if number in changed:
                is_adjacent = bool(spans) and not text[spans[-1][1] : offset].strip()
                start = spans.pop()[0] if is_adjacent else offset
                spans.append((start, end))
            offset = end
        first_number += len(words) + 1
        marked = sum(len(text[start:end].strip()) for start, end in spans)
        result.append(spans if marked <= _MAX_MARKED_SHARE * len(text.strip()) else [])
    return result


def moved_lines(files: Mapping[str, Comparison]) -> dict[LineKey, LineKey]:
    """Map removed lines to where they moved, and added lines to where they came from."""
    removed_by_window: dict[tuple[bytes, ...], _RemovedBlock] = {}
    moved: dict[LineKey, LineKey] = {}
    for path, file in files.items():
        for number, (start, end, _, _) in enumerate(file.changes):
            for index, window in _line_windows(file.old, start, end):
                removed_by_window.setdefault(window, _RemovedBlock(path, number, index, end))
    for path, file in files.items():
        for number, (_, _, start, end) in enumerate(file.changes):
            for index, window in _line_windows(file.new, start, end):
                removed = removed_by_window.get(window)
                if (
                    removed is None
                    or (removed.path, removed.change_number) == (path, number)  # edited in place
                    or LineKey(path, "added", index) in moved
                ):
                    continue
                old_lines = files[removed.path].old[removed.start : removed.end]
                block = _equal_prefix(old_lines, file.new[index:end])
                if _count_letters(block) < _MIN_MOVED_LETTERS:
                    continue
                for step in range(len(block)):
                    origin = LineKey(removed.path, "removed", removed.start + step)
                    target = LineKey(path, "added", index + step)
                    moved[target] = origin
                    moved.setdefault(origin, target)
    return moved


def _equal_prefix(old: Sequence[bytes], new: Sequence[bytes]) -> list[bytes]:
    """Return the lines at the start of both sequences that are equal except for indentation."""
    pairs = takewhile(lambda pair: pair[0].strip() == pair[1].strip(), zip(old, new, strict=False))
    return [line for line, _ in pairs]


def _count_letters(lines: Sequence[bytes]) -> int:
    return sum(map(str.isalnum, b"".join(lines).decode("utf-8", "replace")))


def _line_windows(lines: Sequence[bytes], start: int, end: int) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield the first index and the stripped lines of each sequence as long as the shortest moved block."""
    for index in range(start, end - _MIN_MOVED_LINES + 1):
        yield index, tuple(line.strip() for line in lines[index : index + _MIN_MOVED_LINES])
