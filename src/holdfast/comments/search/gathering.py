"""Gathering the words of many comments beside the answers.

Contract: whoever asks meanwhile is answered another way, and waits for nothing. Comments that come while
words are gathered are added once they are.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from holdfast.comments.search.query import Facts
from holdfast.comments.search.words import Words


class Gathering:
    """The words of some comments, being gathered in a thread of their own."""

    def __init__(self, texts: list[str]) -> None:
        self._number = len(texts)
        self._words: Words | None = None
        # Nothing is lost when the process ends meanwhile: words are never written down.
        threading.Thread(target=self._gather, args=(texts,), name="holdfast-words", daemon=True).start()

    def _gather(self, texts: list[str]) -> None:
        self._words = Words(texts)

    def words(self, comments: Sequence[Facts]) -> Words | None:
        """Return the words of all these comments, of which the first are being gathered; None: not yet."""
        words = self._words
        if words is not None:
            words.append(self._number, [facts.text for facts in comments[self._number :]])
        return words
