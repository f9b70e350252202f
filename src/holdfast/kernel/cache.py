"""A cache whose entries are valid for one version of what they follow from.

Contract: an answer is handed out again only under the very sign it was kept with. Whoever keeps one takes the
sign before it looks, so that a change meanwhile is seen the next time. A sign of None is never the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Memory(Generic[Answer]):
    """Some answers by what was asked; of very many, those kept last. Usable from many threads."""

    def __init__(self, most: int = 500) -> None:
        self._most = most
        self._kept: dict[Hashable, tuple[object, Answer]] = {}

    def recall(self, asked: Hashable, sign: object) -> Answer | None:
        """Return the answer that was kept under this sign, or None when there is none."""
        found = self._kept.get(asked)
        return None if found is None or sign is None or found[0] != sign else found[1]

    def keep(self, asked: Hashable, sign: object, answer: Answer) -> Answer:
        """Keep an answer, if its sign can be told, and return it."""
        if sign is not None:
            if len(self._kept) >= self._most and asked not in self._kept:
                self._kept = dict(list(self._kept.items())[self._most // 2 :])
            self._kept[asked] = (sign, answer)
        return answer
