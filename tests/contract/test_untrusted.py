"""Every text in a result is marked as what somebody wrote, or has a reason why it cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from holdfast.doctor import toolset as stores
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import StoredText, UntrustedText
from holdfast.toolsets import full_registry
from tests.contract.plain_text import REASONS


class Nested(Output):
    safe: UntrustedText
    bare: str | None


class Whole(Output):
    nested: list[Nested]
    by_name: dict[str, int]
    anything: Any
    number: int


def plain_texts(model: type[BaseModel], seen: set[type[BaseModel]] | None = None) -> Iterator[str]:
    """Yield `Model.field` for every place of a model, nested ones included, that can hold plain text."""
    seen = set() if seen is None else seen
    if model in seen:
        return
    seen.add(model)
    for name, info in model.model_fields.items():
        annotation = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
        if any(part in (str, Any, object) for part in parts(annotation)):
            yield f"{model.__name__}.{name}"
        for part in parts(annotation):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from plain_texts(part, seen)


def parts(annotation: Any) -> Iterator[Any]:
    """Yield the types an annotation is made of, except texts that are marked."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        if not any(isinstance(mark, StoredText) for mark in marks):
            yield from parts(inner)
    elif get_origin(annotation) is None:
        yield annotation
    elif not all(isinstance(choice, str | int | bool | None) for choice in get_args(annotation)):
        for argument in get_args(annotation):
            yield from parts(argument)


def found() -> set[str]:
    operations = [*full_registry().operations, *stores.operations]
    return {place for operation in operations for place in plain_texts(operation.output)}


@pytest.mark.evidence("G1", "every result", control="plain text in a result")
def test_the_reflection_finds_plain_text_wherever_it_is() -> None:
    assert set(plain_texts(Whole)) == {"Nested.bare", "Whole.by_name", "Whole.anything"}


@pytest.mark.evidence("G1", "every result", "fields that hold stored text have its type")
def test_plain_text_in_a_result_has_a_reason() -> None:
    without = sorted(found() - REASONS.keys())
    assert not without, f"mark these as UntrustedText, or say in plain_text.py why not: {without}"


@pytest.mark.parametrize("place", sorted(REASONS))
def test_every_reason_is_still_needed(place: str) -> None:
    assert place in found()
