"""Keeps results within a byte budget by cutting long texts and lists, which the result then reports.

The targets are 2,000 tokens by default and 8,000 at most, at the usual estimate of four bytes of JSON per
token (https://platform.openai.com/tokenizer). The rest can be read as a resource, on the next page, or with
narrower arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any, TypeVar

from pydantic import BaseModel

from holdfast.kernel.text import shorten
from holdfast.tasks.models import TaskDetail, TaskRef

DEFAULT_BYTES = 7_600
"""The default budget of a result: 2,000 tokens, minus about 400 bytes for the message around it."""
MAX_BYTES = 30_000
"""The budget of a detailed result: 8,000 tokens, minus about 2,000 bytes for the message around it."""
_MAX_TEXT_CHARACTERS = 3_000
"""The longest text in a result that must be cut. A judgement: a tenth of the largest budget."""
_MAX_LIST_ITEMS = 20
"""The longest list in a result that must be cut. A judgement: more than a reader takes in at once."""
_MIN_TEXT_CHARACTERS = 40
"""No text is cut to less. A judgement: half a dozen words, enough to recognise it."""
_LIST_TEXT_DIVISOR = 5
"""A text within a list gets this part of what a field of its own gets. A judgement: lists have many texts."""

_LEVELS = (
    (_MAX_TEXT_CHARACTERS, _MAX_LIST_ITEMS),
    (1500, 12),
    (800, 8),
    (400, 6),
    (200, 4),
    (100, 2),
    (_MIN_TEXT_CHARACTERS, 1),
)
"""Limits of text characters and list items, tried in this order until the result fits its budget. A
judgement: each pair about halves the result."""
_SHORTENED_FIELDS = frozenset(
    {"description", "notes", "plan", "text", "title", "why", "detail", "handoff_note"}
)
"""Text fields that may be cut. Names and URIs may not, because they would then identify something else."""
_REF_BYTES_WITHOUT_TITLE = 120
"""An upper bound on the JSON of a task reference without its title, blockers and holder."""
_UNCUT_LISTS = frozenset({"more", "next_steps", "to_check"})
"""Short lists that are never cut, because they explain the rest of the result."""

Model = TypeVar("Model", bound=BaseModel)


def size_of(result: BaseModel) -> int:
    """Return the size of a result as JSON, in bytes."""
    return len(result.__pydantic_serializer__.to_json(result, by_alias=True, exclude_none=True))


def fit(result: Model, maximum: int) -> Model:
    """Return a result of at most `maximum` bytes if possible, cut no more than necessary.

    A part that was cut has its field `truncated` set, if it has one.
    """
    if size_of(result) <= maximum:
        return result
    shorter = result
    for characters, items in _LEVELS:
        shorter = _shorten_part(result, characters, items)
        if size_of(shorter) <= maximum:
            break
    return shorter


def shorten_task(task: TaskDetail, maximum: int = MAX_BYTES // 3) -> TaskDetail:
    """Return a task with long texts and lists cut; `truncated` is set if anything was cut."""
    return fit(_shorten_part(task, *_LEVELS[0]), maximum)


def fit_items(items: Iterable[Model], maximum: int = MAX_BYTES) -> list[Model]:
    """Return as many items from the start as fit into a budget, but at least one."""
    shown: list[Model] = []
    remaining = maximum
    for item in items:
        remaining -= size_of(item) + 1
        if remaining < 0 and shown:
            break
        shown.append(item)
    return shown


def fit_refs(refs: list[TaskRef], maximum: int) -> list[TaskRef]:
    """Return as many task references from the start as fit; an estimate avoids measuring short lists."""
    estimate = sum(_REF_BYTES_WITHOUT_TITLE + 4 * len(ref.title) for ref in refs)
    if estimate <= maximum and not any(ref.blocked_by or ref.claimed_by for ref in refs):
        return refs
    return fit_items(refs, maximum)


def _shorten_part(part: Model, characters: int, items: int) -> Model:
    """Return part of a result with its texts and lists cut, or the same object if nothing had to be cut."""
    changes: dict[str, Any] = {}
    for name, value in part.__dict__.items():
        after = _shorten_value(name, value, characters, items)
        if after is not value:
            changes[name] = after
    if changes and "truncated" in type(part).model_fields:
        changes["truncated"] = True
    return part.model_copy(update=changes) if changes else part


def _shorten_value(name: str, value: Any, characters: int, items: int) -> Any:
    """Return the value of a field cut to the limits, or the same object if nothing had to be cut."""
    if isinstance(value, str):
        return shorten(value, characters, tidy=True) if name in _SHORTENED_FIELDS else value
    if isinstance(value, BaseModel):
        return _shorten_part(value, characters, items)
    if isinstance(value, list) and name not in _UNCUT_LISTS:
        characters_within = max(_MIN_TEXT_CHARACTERS, characters // _LIST_TEXT_DIVISOR)
        shorter = [
            _shorten_part(item, characters_within, items) if isinstance(item, BaseModel) else item
            for item in value[:items]
        ]
        is_same = len(shorter) == len(value) and all(map(is_, shorter, value))
        return value if is_same else shorter
    return value
