"""What others do to keep a note in its place, built anew from what they publish.

- The line number: a note stays where it was.
- The extension's fingerprint: the same three lines, trimmed, at the same place or within ten lines.
- The extension's symbol and offset: as many lines below the start of the symbol of the same path.
- `git diff`: the lines outside all hunks, by Myers or by histogram without regard to white space.
- LHDiff: what `diff` keeps, then the pair of lines with the greatest likeness of content and surroundings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import sqrt

from rapidfuzz.distance import Levenshtein

from bench.anchors.gitdiff import line_map
from holdfast.comments.tracking.placement import FileVersion
from holdfast.syntax.facts import facts, innermost

Tracker = Callable[[FileVersion, FileVersion, Sequence[int]], list[int | None]]
REACH = 10
CONTEXT = 4
LIKE_CONTENT, LIKE_CONTEXT, LEAST = 0.6, 0.4, 0.45
CANDIDATES = 15


def same_number(_old: FileVersion, new: FileVersion, lines: Sequence[int]) -> list[int | None]:
    """Stay at the same number."""
    last = new.text.count("\n") + 1
    return [line if line <= last else None for line in lines]


def fingerprint(old: FileVersion, new: FileVersion, lines: Sequence[int]) -> list[int | None]:
    """Look for the same three lines nearby."""
    before, after = _trimmed(old), _trimmed(new)
    return [_by_fingerprint(before, after, line) for line in lines]


def _trimmed(version: FileVersion) -> list[str]:
    return [line.strip() for line in version.text.split("\n")]


def _by_fingerprint(before: list[str], after: list[str], line: int) -> int | None:
    if line <= len(after) and after[line - 1] == before[line - 1]:
        return line
    wanted = _three(before, line)
    places = range(max(1, line - REACH), min(len(after), line + REACH) + 1)
    found = [place for place in places if _three(after, place) == wanted]
    return min(found, key=lambda place: abs(place - line), default=None)


def _three(lines: list[str], line: int) -> tuple[str, ...]:
    return tuple(lines[at] if 0 <= at < len(lines) else "" for at in (line - 2, line - 1, line))


def symbol_and_offset(old: FileVersion, new: FileVersion, lines: Sequence[int]) -> list[int | None]:
    """Go to the symbol of the same path, and as far below its start."""
    before, after = facts(old.path, old.text).symbols, facts(new.path, new.text).symbols
    answers: list[int | None] = []
    for line in lines:
        symbol = innermost(before, line)
        if symbol is None:
            answers += fingerprint(old, new, [line])
            continue
        same = [one for one in after if one.path == symbol.path]
        last = new.text.count("\n") + 1
        answers.append(min(same[0].start_line + line - symbol.start_line, last) if len(same) == 1 else None)
    return answers


def myers(old: FileVersion, new: FileVersion, lines: Sequence[int]) -> list[int | None]:
    """Keep what `git diff` keeps."""
    kept = line_map(old.text, new.text)
    return [kept.get(line) for line in lines]


def histogram(old: FileVersion, new: FileVersion, lines: Sequence[int]) -> list[int | None]:
    """Keep what `git diff --histogram -w` keeps."""
    kept = line_map(old.text, new.text, "--histogram", "-w")
    return [kept.get(line) for line in lines]


def like_lhdiff(old: FileVersion, new: FileVersion, lines: Sequence[int]) -> list[int | None]:
    """Keep what `diff` keeps; match the rest by likeness, best pairs first, each line once."""
    kept = line_map(old.text, new.text, "-w")
    before, after = _Words(old), _Words(new)
    taken = set(kept.values())
    left = [line for line in range(1, len(after.lines) + 1) if line not in taken and after.lines[line - 1]]
    gone = [line for line in range(1, len(before.lines) + 1) if line not in kept and before.lines[line - 1]]
    index = after.index(left)
    pairs = [
        (score, line, place)
        for line in gone
        for place in before.nearest(line, after, index)
        if (score := before.likeness(line, after, place)) >= LEAST
    ]
    answers = dict(kept)
    for _, line, place in sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]))):
        if line not in answers and place not in taken:
            answers[line] = place
            taken.add(place)
    return [answers.get(line) for line in lines]


class _Words:
    """The lines of a text without superfluous space, and the words around each."""

    def __init__(self, version: FileVersion) -> None:
        self.lines = [" ".join(line.split()).lower() for line in version.text.split("\n")]
        self.around: dict[int, Counter[str]] = {}
        self.words = [Counter(_cut(line)) for line in self.lines]

    def context(self, line: int) -> Counter[str]:
        if line not in self.around:
            self.around[line] = sum(self._neighbours(line), Counter())
        return self.around[line]

    def _neighbours(self, line: int) -> list[Counter[str]]:
        above = [words for words in self.words[max(0, line - 1 - 4 * CONTEXT) : line - 1] if words][-CONTEXT:]
        below = [words for words in self.words[line : line + 4 * CONTEXT] if words][:CONTEXT]
        return above + below

    def index(self, places: list[int]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place in places:
            for word in self.words[place - 1]:
                found[word].append(place)
        return found

    def nearest(self, line: int, other: _Words, index: dict[str, list[int]]) -> list[int]:
        wanted = self.words[line - 1]
        shared: Counter[int] = Counter()
        for word in wanted:
            shared.update(index.get(word, ()))
        likely = [place for place, _ in shared.most_common(4 * CANDIDATES)]
        return sorted(likely, key=lambda place: -_cosine(wanted, other.words[place - 1]))[:CANDIDATES]

    def likeness(self, line: int, other: _Words, place: int) -> float:
        content = Levenshtein.normalized_similarity(self.lines[line - 1], other.lines[place - 1])
        return LIKE_CONTENT * content + LIKE_CONTEXT * _cosine(self.context(line), other.context(place))


def _cut(line: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in line).split()


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    if not one or not other:
        return 0.0
    shared = sum(count * other[word] for word, count in one.items())
    sizes = sum(count * count for count in one.values()) * sum(count * count for count in other.values())
    return shared / sqrt(sizes)


PEERS: dict[str, Tracker] = {
    "same line number": same_number,
    "extension, fingerprint": fingerprint,
    "extension, symbol and offset": symbol_and_offset,
    "git diff (Myers)": myers,
    "git diff --histogram -w": histogram,
    "LHDiff-style": like_lhdiff,
}
