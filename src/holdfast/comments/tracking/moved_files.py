"""Finds the file that the code of an anchor moved to.

Every file is scored by how much it contains of the lines and words around the anchor, and of the anchor's
whole file. Rare lines and words weigh more (inverse document frequency, over all files of the workspace),
near ones weigh more than far ones, and a file with the same name gets a small bonus. Example: of twenty files
that contain `return None`, only `auth.py` contains `def compare_passwords(`; a note on that function follows
it there.

Contract: a result is `unambiguous` if no other file has a similar score; only then may an anchor move there
without review. Weights and limits of scores were tuned on labelled moves of five repositories and checked on
others (docs/accuracy.md). An index is built in one pass and serves any number of queries; it contains only
lines and words that the versions to be queried contain.
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
from typing import NamedTuple

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion, Placement
from holdfast.comments.tracking.track import track

_CONTEXT_LINES = 7
"""Lines on each side of the anchor that are compared; the weight decreases to about half for the farthest."""

_WORD = re.compile(r"[^\W\d]\w{2,}")
_NEAR_LINES_WEIGHT = 1.0
"""Weight of the lines around the anchor. This weight and those below were tuned together on labelled moves of
five repositories (docs/accuracy.md)."""

_NEAR_WORDS_WEIGHT = 1.0
"""Weight of the words around the anchor."""

_FILE_LINES_WEIGHT = 0.3
"""Weight of the lines of the anchor's whole file."""

_FILE_WORDS_WEIGHT = 0.5
"""Weight of the words of the anchor's whole file."""

_FILE_NAME_WEIGHT = 0.2
"""Weight of an equal file name."""

_OWN_LINE_WEIGHT = 0.2
"""Weight of the anchor's own line."""

_MAX_SCORE = (
    _NEAR_LINES_WEIGHT
    + _NEAR_WORDS_WEIGHT
    + _FILE_LINES_WEIGHT
    + _FILE_WORDS_WEIGHT
    + _FILE_NAME_WEIGHT
    + _OWN_LINE_WEIGHT
)
"""The highest possible score."""

_SAME_STEM_SHARE = 0.8
"""Share of the weight of an equal file name that a name with another suffix gets."""


_MAX_FILES_SCORED = 50
"""Files that are scored: those with the most lines of a version. A judgement: the right one is among them."""

_MAX_FILES_PER_LINE = 200
"""A line in more files than this selects none of them. A judgement: it is too common."""

_MIN_CANDIDATE_SHARE = 0.35
"""Share of the highest possible score that a candidate needs. This and the next two were tuned likewise."""

_MIN_UNAMBIGUOUS_SHARE = 0.4
"""Share of the highest possible score that an unambiguous result needs."""

_MIN_UNAMBIGUOUS_LEAD = 0.15
"""Lead over the second file, as a share of the highest possible score, that an unambiguous result needs."""


@dataclass(frozen=True, slots=True)
class MovedCode:
    """The file that now contains an anchor's code, and the place in it."""

    path: str
    placement: Placement
    share: float
    """The score as a share of the highest possible one, from 0 to 1."""
    unambiguous: bool
    """Whether no other file has a similar score, so the anchor may move there without review."""


class _FileContents:
    """The normalized lines and the words of a file, and its name."""

    def __init__(self, version: FileVersion) -> None:
        self.path = version.path
        self.lines = frozenset(Lines(version.text).normalized)
        self.words = frozenset(_WORD.findall(version.text))
        self.name, self.stem = basename(version.path), _stem(version.path)

    def restrict_to(self, lines: Set[str], words: Set[str]) -> None:
        self.lines, self.words = self.lines & lines, self.words & words


class MovedFiles:
    """An index of a workspace's files, queried for code that left its file.

    `queries` are the versions that will be queried: lines and words that none of them contains are not
    indexed. `text` reads a file again for tracking; without it the texts are kept in memory.
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

    def find(self, old: FileVersion, anchors: Sequence[Anchor]) -> list[MovedCode | None]:
        """Return for each anchor of a version the other file that its code moved to."""
        search = _VersionSearch(old, self._weights(old))
        candidates = self._candidates(search)
        return [next(self._ranked(search, anchor, candidates), None) for anchor in anchors]

    def candidates(self, old: FileVersion, anchor: Anchor, limit: int) -> list[MovedCode]:
        """Return the files that an anchor's code may have moved to, at most `limit`, best first."""
        search = _VersionSearch(old, self._weights(old))
        return list(islice(self._ranked(search, anchor, self._candidates(search)), limit))

    @cached_property
    def _by_line(self) -> dict[str, list[_FileContents]]:
        """An inverted index from lines to files."""
        files: dict[str, list[_FileContents]] = defaultdict(list)
        for contents in self._files:
            for line in contents.lines:
                files[line].append(contents)
        return files

    def _candidates(self, search: _VersionSearch) -> list[tuple[_FileContents, float]]:
        """Return the files worth comparing, each with its score for the whole version."""
        others = [contents for contents in self._files if contents.path != search.old.path]
        if len(others) > _MAX_FILES_SCORED:
            votes: dict[str, float] = defaultdict(float)
            for line, weight in search.distinctive.items():
                files = self._by_line.get(line, [])
                if len(files) <= _MAX_FILES_PER_LINE:
                    for contents in files:
                        votes[contents.path] += weight
            best = set(sorted(votes, key=lambda path: (-votes[path], path))[:_MAX_FILES_SCORED])
            others = [
                contents for contents in others if contents.path in best or contents.stem == search.stem
            ]
        return [(contents, search.file_score(contents)) for contents in others]

    def _weights(self, old: FileVersion) -> _Weights:
        """Return the inverse document frequency of each line and word of a version."""
        lines, words = self._file_counts
        count = len(self._files)
        return _Weights(
            {line: log(1 + count / (1 + lines[line])) for line in set(Lines(old.text).normalized)},
            {word: log(1 + count / (1 + words[word])) for word in set(_WORD.findall(old.text))},
        )

    def _ranked(
        self, search: _VersionSearch, anchor: Anchor, candidates: Sequence[tuple[_FileContents, float]]
    ) -> Iterator[MovedCode]:
        """Yield the best files in order, while the score is sufficient and the anchor's line is found."""
        surroundings = search.surroundings(anchor)
        scores = {
            contents.path: surroundings.score(contents) + file_score for contents, file_score in candidates
        }
        ranked = sorted(scores, key=lambda path: (-scores[path], path))
        second_score = scores[ranked[1]] if len(ranked) > 1 else 0.0
        for rank, path in enumerate(ranked):
            score = scores[path]
            text = self._text(path) if score >= _MIN_CANDIDATE_SHARE * _MAX_SCORE else None
            if text is None:
                return
            placement = track(search.old, FileVersion(path, text), [anchor])[0]
            if placement.confidence is Confidence.NONE:
                return
            lead = score - second_score
            unambiguous = (
                rank == 0
                and score >= _MIN_UNAMBIGUOUS_SHARE * _MAX_SCORE
                and lead >= _MIN_UNAMBIGUOUS_LEAD * _MAX_SCORE
            )
            yield MovedCode(path, placement, score / _MAX_SCORE, unambiguous)


class _Weights(NamedTuple):
    """The weights of the normalized lines and of the words of a version: the rarer, the more."""

    lines: Mapping[str, float]
    words: Mapping[str, float]


class _VersionSearch:
    """One version whose anchors are searched for in other files."""

    def __init__(self, old: FileVersion, weights: _Weights) -> None:
        self.old = old
        self._weights = weights
        self._lines = Lines(old.text)
        self._name, self.stem = basename(old.path), _stem(old.path)
        distinctive = {
            line for index, line in enumerate(self._lines.normalized) if not self._lines.is_trivial(index)
        }
        self.distinctive = {line: weights.lines[line] for line in distinctive}
        self._whole = _WeightedSet(self.distinctive)
        self._words = _WeightedSet(weights.words)

    def file_score(self, contents: _FileContents) -> float:
        """Return the part of a file's score for the lines and words of the whole version and for the name."""
        if contents.name == self._name:
            name = 1.0
        else:
            name = _SAME_STEM_SHARE if contents.stem == self.stem else 0.0
        lines, words = self._whole.share(contents.lines), self._words.share(contents.words)
        return _FILE_LINES_WEIGHT * lines + _FILE_WORDS_WEIGHT * words + _FILE_NAME_WEIGHT * name

    def surroundings(self, anchor: Anchor) -> _Surroundings:
        """Return the lines and words around an anchor with their weights."""
        lines: dict[str, float] = {}
        words: dict[str, float] = {}
        for index, nearness in self._near_lines(anchor.line - 1):
            line = self._lines.normalized[index]
            if not self._lines.is_trivial(index):
                lines[line] = max(lines.get(line, 0.0), nearness * self._weights.lines[line])
            for word in _WORD.findall(self._lines.raw[index]):
                words[word] = max(words.get(word, 0.0), nearness * self._weights.words.get(word, 0.0))
        return _Surroundings(
            _WeightedSet(lines), _WeightedSet(words), self._lines.normalized[anchor.line - 1]
        )

    def _near_lines(self, index: int) -> Iterator[tuple[int, float]]:
        """Yield the lines around a line with a weight that decreases with the distance."""
        for at in range(max(0, index - _CONTEXT_LINES), min(len(self._lines), index + _CONTEXT_LINES + 1)):
            yield at, 1 - abs(at - index) / (2 * _CONTEXT_LINES + 2)


class _WeightedSet:
    """A set of weighted lines or words."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._total = sum(weights.values())

    def share(self, contents: frozenset[str]) -> float:
        """Return the share of the weight that a file contains, from 0 to 1."""
        if not self._total:
            return 0.0
        return sum(weight for text, weight in self._weights.items() if text in contents) / self._total


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The lines and words around one anchor."""

    lines: _WeightedSet
    words: _WeightedSet
    own_line: str
    """The normalized line of the anchor itself."""

    def score(self, contents: _FileContents) -> float:
        """Return the part of a file's score for the surroundings."""
        lines, words = self.lines.share(contents.lines), self.words.share(contents.words)
        return (
            _NEAR_LINES_WEIGHT * lines
            + _NEAR_WORDS_WEIGHT * words
            + _OWN_LINE_WEIGHT * (self.own_line in contents.lines)
        )


def _stem(path: str) -> str:
    return basename(path).split(".", 1)[0].strip("-_").lower()
