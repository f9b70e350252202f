"""Prompts: texts that a person can insert in a client, filled in from the stores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.kernel.models import Input

if TYPE_CHECKING:
    from holdfast.kernel.content import Content
    from holdfast.kernel.resource import Complete


class PromptMessage(NamedTuple):
    """One message of a prompt."""

    content: str | Content
    role: str = "user"


@dataclass(frozen=True, eq=False, repr=False)
class Prompt:
    """A prompt as a room declares it."""

    name: str
    title: str
    function: Callable[[Any, Any], list[PromptMessage]]
    input: type[Input]
    toolset: str
    family: str
    complete: Mapping[str, Complete] = field(default_factory=dict)
    specified: bool = False
    specified_description: str | None = None

    @cached_property
    def description(self) -> str:
        """Return the docstring of the prompt's function."""
        return inspect.getdoc(self.function) or ""
