"""Taking many items of a row at once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TypeVar

Item = TypeVar("Item")


def picked(items: Sequence[Item], places: Sequence[int]) -> Sequence[Item]:
    """Return the items at some places, faster than one by one."""
    if len(places) < 2:
        return [items[place] for place in places]
    found: Sequence[Item] = itemgetter(*places)(items)
    return found
