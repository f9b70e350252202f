"""Guesses lines that moved to another place in the file, with their block or alone."""

from __future__ import annotations

from holdfast.comments.tracking.alignment import is_small
from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.guess import Guess

_MIN_MOVED_SCORE = 0.62
"""Lowest score of a line that moved. This and the next score were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_MIN_MOVED_CONTENT = 0.55
"""Lowest text similarity of a line that moved."""

MAX_MOVE_CANDIDATES = 8
"""Similar lines elsewhere that are compared. A judgement: the right line is nearly always among the first."""

_MIN_NEIGHBOUR_CONTENT = 0.8
"""Text similarity from which on a neighbour is regarded as having moved with the line."""


class MoveGuesses:
    """Guesses for lines that moved."""

    def __init__(self, comparison: VersionComparison) -> None:
        self._comparison = comparison
        self._old_lines, self._new_lines = comparison.old_lines, comparison.new_lines
        self._similarity = comparison.similarity

    def guesses(self, index: int) -> list[Guess]:
        """Return similar unmatched lines anywhere in the new version, best first."""
        if self._old_lines.is_trivial(index):
            return []
        moves: list[Guess] = []
        unmatched = self._comparison.unmatched
        alike = unmatched.sharing_words(
            self._old_lines.bag(index), 0, len(self._new_lines), MAX_MOVE_CANDIDATES
        )
        equal = unmatched.with_text(self._old_lines.normalized[index], index, MAX_MOVE_CANDIDATES)
        for target in sorted({*alike, *equal}):
            if self._similarity.content(index, target) < _MIN_MOVED_CONTENT:
                continue
            score = self._similarity.score(index, target)
            if score >= _MIN_MOVED_SCORE and not self._is_claimed(index, target, score):
                method = "moved" if self._moved_along(index, target) else "alone"
                moves.append(Guess(target, score, method))
        return sorted(moves, key=lambda move: (-move.score, move.index))[:MAX_MOVE_CANDIDATES]

    def _moved_along(self, index: int, target: int) -> bool:
        """Return whether a neighbour of the old line is next to the new one too, as in a moved block."""
        return any(
            not self._old_lines.is_trivial(index + step)
            and self._similarity.content(index + step, target + step) >= _MIN_NEIGHBOUR_CONTENT
            for step in (-2, -1, 1, 2)
            if 0 <= index + step < len(self._old_lines) and 0 <= target + step < len(self._new_lines)
        )

    def _is_claimed(self, index: int, target: int, score: float) -> bool:
        """Return whether another old line is aligned with a new line and has at least the same score."""
        area = self._comparison.area_of_new(target)
        if not is_small(area):
            return False
        aligned = self._comparison.alignment(area, area.old_start)
        return any(
            pair.target == target and pair.score >= score and pair.source != index
            for pair in aligned.values()
        )
