"""Keeping results within what a model can read: long texts are cut, long lists end early, and both say so.

A token is taken as four bytes of JSON. A result is to have 2,000 by default and never more than 8,000; what
was left out can be read by address, by the next page, or with narrower arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any, TypeVar

from pydantic import BaseModel

from holdfast.kernel.text import shorten
from holdfast.tasks.models import TaskDetail, TaskRef

DEFAULT_BYTES = 7_600
"""What a result may take by default, with some room for what is around it."""
MOST_BYTES = 30_000
"""What a result may take when somebody asks for all there is."""
MOST_CHARACTERS = 3_000
MOST_ITEMS = 20

_LEVELS = ((MOST_CHARACTERS, MOST_ITEMS), (1500, 12), (800, 8), (400, 6), (200, 4), (100, 2), (40, 1))
"""How long texts and lists may be, the largest that fits first."""
_TEXTS = frozenset({"description", "notes", "plan", "text", "title", "why", "detail", "handoff_note"})
"""What may be cut. Names and addresses may not: half of one is another."""

_ROUGH_BYTES = 120
"""More than a task on one line takes beside its title, where nothing holds it up and nobody is at it."""

_WHOLE_LISTS = frozenset({"more", "next_steps", "to_check"})
"""Short lists that say what the rest is good for."""

Model = TypeVar("Model", bound=BaseModel)


def size_of(result: BaseModel) -> int:
    """Return how many bytes a result takes as JSON."""
    return len(result.__pydantic_serializer__.to_json(result, by_alias=True, exclude_none=True))


def within(result: Model, most: int) -> Model:
    """Return a result that takes no more than so many bytes, cut as little as that needs.

    Whatever part of it has a member `truncated` says there that something is missing.
    """
    if size_of(result) <= most:
        return result
    shorter = result
    for characters, items in _LEVELS:
        shorter = _shorter(result, characters, items)
        if size_of(shorter) <= most:
            break
    return shorter


def shortened(task: TaskDetail, most: int = MOST_BYTES // 3) -> TaskDetail:
    """Return a task whose texts and lists are not too long; `truncated` says whether something is missing."""
    return within(_shorter(task, *_LEVELS[0]), most)


def fitting(items: Iterable[Model], most: int = MOST_BYTES) -> list[Model]:
    """Return as many of the items as one result may hold, in their order, and at least one."""
    shown: list[Model] = []
    left = most
    for item in items:
        left -= size_of(item) + 1
        if left < 0 and shown:
            break
        shown.append(item)
    return shown


def fitting_refs(refs: list[TaskRef], most: int) -> list[TaskRef]:
    """Return as many tasks on one line as one result may hold; weighed roughly at first, as most fit."""
    rough = sum(_ROUGH_BYTES + 4 * len(ref.title) for ref in refs)
    if rough <= most and not any(ref.blocked_by or ref.claimed_by for ref in refs):
        return refs
    return fitting(refs, most)


def _shorter(part: Model, characters: int, items: int) -> Model:
    """Return a part of a result with shorter texts and lists."""
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
        # One of many texts in a list gets a part of what a text of its own gets.
        less = max(40, characters // 5)
        kept = value[:items]
        after = [_shorter(one, less, items) if isinstance(one, BaseModel) else one for one in kept]
        is_same = len(after) == len(value) and all(map(is_, after, value))
        return value if is_same else after
    return value
