"""Finds the file that the code of an anchor moved to.

Every file is scored by how much it contains of the lines and words around the anchor, and of the anchor's
whole file. Rare lines and words weigh more (inverse document frequency, over all files of the workspace),
near ones weigh more than far ones, and a file with the same name gets a small bonus. Example: of twenty files
that contain `return None`, only `auth.py` contains `def compare_passwords(`; a note on that function follows
it there.

Contract: a result is `unambiguous` if no other file came near; only then may an anchor move there without
review. Weights and bounds were tuned on labelled moves of five repositories and checked on others
(docs/accuracy.md). One index serves any number of queries; it is built in one pass and keeps only what the
`queries` versions contain.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import log
from posixpath import basename

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement
from holdfast.comments.tracking.track import track

_AROUND = 7
"""Lines on each side of the anchor that count, the farthest about half."""

_WORD = re.compile(r"[^\W\d]\w{2,}")
_LINES_AROUND, _WORDS_AROUND, _LINES_IN_FILE, _WORDS_IN_FILE, _NAME, _ITSELF = 1.0, 1.0, 0.3, 0.5, 0.2, 0.2
"""Weights of the six signals, tuned on labelled moves of five repositories (docs/accuracy.md)."""

_ALL = _LINES_AROUND + _WORDS_AROUND + _LINES_IN_FILE + _WORDS_IN_FILE + _NAME + _ITSELF
_SAME_STEM = 0.8
"""Bonus for a file whose name differs in its suffix only, as a share of that for an equal name."""


_MAX_SCORED = 50
"""Files that are scored for a version: those that share the most lines with it. A chosen bound on time."""

_COMMON = 200
"""A line in more files than this selects none of them. A chosen bound on time."""

_MIN_SHARE = 0.35
"""Share of the highest possible score that a candidate needs."""

_UNAMBIGUOUS, _UNAMBIGUOUS_LEAD = 0.4, 0.15
"""Share of the score, and lead over the second file, that make a result unambiguous."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The file that now contains an anchor's code, where in it, and its score from 0 to 1."""

    path: str
    placement: Placement
    share: float
    unambiguous: bool
    """Whether no other file came near, so the anchor may move there without review."""


class _FileContents:
    """The normalized lines and the words of a file."""

    def __init__(self, version: FileVersion) -> None:
        self.path = version.path
        self.lines = frozenset(Lines(version.text).normal)
        self.words = frozenset(_WORD.findall(version.text))
        self.name, self.stem = basename(version.path), _stem(version.path)

    def restrict_to(self, lines: Set[str], words: Set[str]) -> None:
        """Keep only these lines and words."""
        self.lines, self.words = self.lines & lines, self.words & words


class MovedFiles:
    """An index of a workspace's files that is queried for code that left its file.

    `queries` are the versions that will be queried: lines and words that none of them contains are not
    indexed. `text` reads a file again for a close comparison; without it the texts are kept in memory.
    """

    def __init__(
        self,
        candidates: Iterable[FileVersion],
        queries: Sequence[FileVersion] | None = None,
        text: Callable[[str], str | None] | None = None,
    ) -> None:
        self._texts: dict[str, str] = {}
        self._text = text or self._texts.get
        self._files: list[_FileContents] = []
        queried = None if queries is None else [_FileContents(version) for version in queries]
        lines = frozenset[str]().union(*(contents.lines for contents in queried or ()))
        words = frozenset[str]().union(*(contents.words for contents in queried or ()))
        for version in candidates:
            contents = _FileContents(version)
            if queried is not None:
                contents.restrict_to(lines, words)
            if text is None:
                self._texts[version.path] = version.text
            self._files.append(contents)

    @cached_property
    def _file_counts(self) -> tuple[Counter[str], Counter[str]]:
        """The number of files that contain each line and each word."""
        lines: Counter[str] = Counter()
        words: Counter[str] = Counter()
        for contents in self._files:
            lines.update(contents.lines)
            words.update(contents.words)
        return lines, words

    def find(self, old: FileVersion, anchors: Sequence[Anchor]) -> list[Moved | None]:
        """Return for each anchor of a version the other file that its code moved to."""
        search = _VersionSearch(old, self._weights(old))
        candidates = self._candidates(search)
        return [next(self._ranked(search, anchor, candidates), None) for anchor in anchors]

    def candidates(self, old: FileVersion, anchor: Anchor, most: int) -> list[Moved]:
        """Return the files that an anchor's code may have moved to, best first."""
        search = _VersionSearch(old, self._weights(old))
        return list(islice(self._ranked(search, anchor, self._candidates(search)), most))

    @cached_property
    def _by_line(self) -> dict[str, list[_FileContents]]:
        """An inverted index from lines to files."""
        found: dict[str, list[_FileContents]] = defaultdict(list)
        for contents in self._files:
            for line in contents.lines:
                found[line].append(contents)
        return found

    def _candidates(self, search: _VersionSearch) -> list[tuple[_FileContents, float]]:
        """Return the files worth comparing, each with its score for the whole version."""
        others = [contents for contents in self._files if contents.path != search.old.path]
        if len(others) > _MAX_SCORED:
            votes: dict[str, float] = defaultdict(float)
            for line, weight in search.distinctive.items():
                holders = self._by_line.get(line, [])
                for contents in holders if len(holders) <= _COMMON else ():
                    votes[contents.path] += weight
            best = set(sorted(votes, key=lambda path: (-votes[path], path))[:_MAX_SCORED])
            others = [
                contents for contents in others if contents.path in best or contents.stem == search.stem
            ]
        return [(contents, search.file_share(contents)) for contents in others]

    def _weights(self, old: FileVersion) -> dict[str, float]:
        """Return the inverse document frequency of each line and word of a version."""
        lines, words = self._file_counts
        count = len(self._files)
        weights = {word: log(1 + count / (1 + words[word])) for word in set(_WORD.findall(old.text))}
        for line in set(Lines(old.text).normal):
            weights[_line_key(line)] = log(1 + count / (1 + lines[line]))
        return weights

    def _ranked(
        self, search: _VersionSearch, anchor: Anchor, candidates: Sequence[tuple[_FileContents, float]]
    ) -> Iterator[Moved]:
        """Yield the best files in order, while the score suffices and the anchor's line is found there."""
        around = search.surroundings(anchor)
        ranked = sorted(
            ((around.share(contents) + whole, contents.path) for contents, whole in candidates),
            key=lambda one: (-one[0], one[1]),
        )
        for place, (share, path) in enumerate(ranked):
            text = self._text(path) if share >= _MIN_SHARE * _ALL else None
            if text is None:
                return
            placement = track(search.old, FileVersion(path, text), [anchor])[0]
            if placement.confidence is Confidence.NONE:
                return
            lead = share - ranked[1][0] if len(ranked) > 1 else share
            unambiguous = place == 0 and share >= _UNAMBIGUOUS * _ALL and lead >= _UNAMBIGUOUS_LEAD * _ALL
            yield Moved(path, placement, share / _ALL, unambiguous)


class _VersionSearch:
    """One version whose anchors are searched for in other files."""

    def __init__(self, old: FileVersion, weights: Mapping[str, float]) -> None:
        self.old = old
        self._weights = weights
        self._lines = Lines(old.text)
        self._name, self.stem = basename(old.path), _stem(old.path)
        distinctive = {line for at, line in enumerate(self._lines.normal) if not self._lines.is_trivial(at)}
        self.distinctive = {line: weights[_line_key(line)] for line in distinctive}
        self._whole = _WeightedSet(self.distinctive)
        self._words = _WeightedSet({word: weights[word] for word in set(_WORD.findall(old.text))})

    def file_share(self, contents: _FileContents) -> float:
        """Return the score of a file for the whole version and for its name."""
        name = 1.0 if contents.name == self._name else _SAME_STEM if contents.stem == self.stem else 0.0
        lines, words = self._whole.share(contents.lines), self._words.share(contents.words)
        return _LINES_IN_FILE * lines + _WORDS_IN_FILE * words + _NAME * name

    def surroundings(self, anchor: Anchor) -> _Surroundings:
        """Return the lines and words around an anchor with their weights."""
        lines: dict[str, float] = {}
        words: dict[str, float] = {}
        for at, nearness in self._near(anchor.line - 1):
            line = self._lines.normal[at]
            if not self._lines.is_trivial(at):
                lines[line] = max(lines.get(line, 0.0), nearness * self._weights[_line_key(line)])
            for word in _WORD.findall(self._lines.raw[at]):
                words[word] = max(words.get(word, 0.0), nearness * self._weights.get(word, 0.0))
        return _Surroundings(_WeightedSet(lines), _WeightedSet(words), self._lines.normal[anchor.line - 1])

    def _near(self, index: int) -> Iterator[tuple[int, float]]:
        for at in range(max(0, index - _AROUND), min(len(self._lines), index + _AROUND + 1)):
            yield at, 1 - abs(at - index) / (2 * _AROUND + 2)


class _WeightedSet:
    """Weighted lines or words, of which a file contains a share."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._all = sum(weights.values())

    def share(self, contents: frozenset[str]) -> float:
        """Return the share of the weight that a file contains, from 0 to 1."""
        if not self._all:
            return 0.0
        return sum(weight for one, weight in self._weights.items() if one in contents) / self._all


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The lines and words around one anchor."""

    lines: _WeightedSet
    words: _WeightedSet
    itself: str

    def share(self, contents: _FileContents) -> float:
        """Return the score of a file for the surroundings."""
        lines, words = self.lines.share(contents.lines), self.words.share(contents.words)
        return _LINES_AROUND * lines + _WORDS_AROUND * words + _ITSELF * (self.itself in contents.lines)


def _line_key(line: str) -> str:
    """Return a key that keeps a line apart from an equal word."""
    return f"\n{line}"


def _stem(path: str) -> str:
    return basename(path).split(".", 1)[0].strip("-_").lower()
