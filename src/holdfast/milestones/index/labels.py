"""Labels in the index: a JSON array of texts in the row of their entity, and conditions on it.

A text search over the array as it is written tells most rows apart; only where it finds something is the
array looked at member by member.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HAS_LABEL = (
    "(instr(entity.labels, ?) > 0 AND EXISTS (SELECT 1 FROM json_each(entity.labels) WHERE value = ?))"
)
HAS_NO_LABEL = "(entity.labels = '[]')"
CONTAINS_LABEL = (
    "(instr(holdfast_fold(entity.labels), ?) > 0"
    " AND EXISTS (SELECT 1 FROM json_each(entity.labels) WHERE instr(holdfast_fold(value), ?) > 0))"
)


def written(labels: Iterable[str]) -> str:
    """Return labels as the index holds them, with no more escapes than JSON needs."""
    return json.dumps(list(labels), ensure_ascii=False)


def has_label(label: str) -> tuple[str, str]:
    """Return the values of `HAS_LABEL`."""
    return json.dumps(label, ensure_ascii=False), label


def contains_label(part: str) -> tuple[str, str]:
    """Return the values of `CONTAINS_LABEL` for a part of a label, in whatever case."""
    folded = part.casefold()
    inside = json.dumps(folded, ensure_ascii=False)[1:-1]
    # What case folding does to an escape sequence is not what it does to the character behind it.
    return (inside if inside == folded else ""), folded
