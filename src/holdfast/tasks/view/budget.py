"""Keeps results within a byte budget: long texts and lists are cut, and the result says so.

The targets are 2,000 tokens by default and 8,000 at most, at the usual estimate of four bytes of JSON per
token (https://platform.openai.com/tokenizer). What was left out can be read as a resource, on the next page,
or with narrower arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any, TypeVar

from pydantic import BaseModel

from holdfast.kernel.text import shorten
from holdfast.tasks.models import TaskDetail, TaskRef

DEFAULT_BYTES = 7_600
"""The budget of a result by default: 2,000 tokens, less some room for its envelope."""
MAX_BYTES = 30_000
"""The budget of a result when everything was requested: 8,000 tokens, less some room for its envelope."""
MAX_CHARACTERS = 3_000
MAX_ITEMS = 20

_LEVELS = ((MAX_CHARACTERS, MAX_ITEMS), (1500, 12), (800, 8), (400, 6), (200, 4), (100, 2), (40, 1))
"""Maximum lengths of texts and lists; the first pair that fits the budget is used. A judgement: each level
about halves the result."""
_TEXTS = frozenset({"description", "notes", "plan", "text", "title", "why", "detail", "handoff_note"})
"""Fields that may be cut. Names and URIs may not: cut, they would identify something else."""

_ROUGH_BYTES = 120
"""An upper bound on the JSON of a task reference without its title, blockers and holder."""

_WHOLE_LISTS = frozenset({"more", "next_steps", "to_check"})
"""Short lists that are never cut, because they explain the rest."""

Model = TypeVar("Model", bound=BaseModel)


def size_of(result: BaseModel) -> int:
    """Return the size of a result as JSON, in bytes."""
    return len(result.__pydantic_serializer__.to_json(result, by_alias=True, exclude_none=True))


def fit(result: Model, maximum: int) -> Model:
    """Return a result of at most `maximum` bytes if possible, cut no more than necessary.

    Parts that were cut and have a field `truncated` set it.
    """
    if size_of(result) <= maximum:
        return result
    shorter = result
    for characters, items in _LEVELS:
        shorter = _shorter(result, characters, items)
        if size_of(shorter) <= maximum:
            break
    return shorter


def shorten_task(task: TaskDetail, maximum: int = MAX_BYTES // 3) -> TaskDetail:
    """Return a task with its long texts and lists cut; `truncated` is set if anything is missing."""
    return fit(_shorter(task, *_LEVELS[0]), maximum)


def fit_items(items: Iterable[Model], maximum: int = MAX_BYTES) -> list[Model]:
    """Return the leading items that fit into a budget, and at least one."""
    shown: list[Model] = []
    left = maximum
    for item in items:
        left -= size_of(item) + 1
        if left < 0 and shown:
            break
        shown.append(item)
    return shown


def fit_refs(refs: list[TaskRef], maximum: int) -> list[TaskRef]:
    """Return the leading task references that fit; a rough estimate first avoids measuring each of them."""
    rough = sum(_ROUGH_BYTES + 4 * len(ref.title) for ref in refs)
    if rough <= maximum and not any(ref.blocked_by or ref.claimed_by for ref in refs):
        return refs
    return fit_items(refs, maximum)


def _shorter(part: Model, characters: int, items: int) -> Model:
    """Return part of a result with its texts and lists cut."""
    changes: dict[str, Any] = {}
    for name, value in part.__dict__.items():
        after = _shorter_value(name, value, characters, items)
        if after is not value:
            changes[name] = after
    if changes and "truncated" in type(part).model_fields:
        changes["truncated"] = True
    return part.model_copy(update=changes) if changes else part


def _shorter_value(name: str, value: Any, characters: int, items: int) -> Any:
    if isinstance(value, str):
        return shorten(value, characters, tidy=True) if name in _TEXTS and len(value) > characters else value
    if isinstance(value, BaseModel):
        return _shorter(value, characters, items)
    if isinstance(value, list) and name not in _WHOLE_LISTS:
        # A text within a list gets a fifth of what a field of its own gets.
        less = max(40, characters // 5)
        after = [_shorter(one, less, items) if isinstance(one, BaseModel) else one for one in value[:items]]
        is_same = len(after) == len(value) and all(map(is_, after, value))
        return value if is_same else after
    return value
