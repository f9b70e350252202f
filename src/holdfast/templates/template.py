"""One template under one address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from holdfast.templates.address import Address
from holdfast.templates.definition import Definition, Metadata, Parameter, Placed
from holdfast.templates.parameters import Problem, Values, filled, problems, refusal

Origin = Literal["built-in", "user", "repository"]


@dataclass(frozen=True)
class Template:
    """A template that can be found and filled in."""

    definition: Definition
    place: Placed
    origin: Origin
    file: str
    address: Address

    @classmethod
    def of(cls, definition: Definition, place: Placed, origin: Origin, file: str) -> Template:
        """Return the template that a definition puts at one of its addresses."""
        address = Address.of(definition.metadata.category, place.toolchain, place.variant)
        return cls(definition, place, origin, file, address)

    @property
    def metadata(self) -> Metadata:
        """Return what its file says about it."""
        return self.definition.metadata

    @property
    def body(self) -> str:
        """Return its text, not filled in."""
        return self.definition.body

    @property
    def digest(self) -> str:
        """Return the SHA-256 of its file."""
        return self.definition.digest

    @cached_property
    def parameters(self) -> list[Parameter]:
        """Return what it takes."""
        return [item for item in self.metadata.parameters if _is_for(item, self.address.variant)]

    @property
    def is_builtin(self) -> bool:
        """Return whether it came with the program."""
        return self.origin == "built-in"

    def problems(self, given: Mapping[str, Any]) -> list[Problem]:
        """Return everything that is wrong with parameters given for it."""
        return problems(self.parameters, given)

    def filled(self, given: Mapping[str, Any]) -> Values:
        """Return a value for each of its parameters, or raise naming everything that is wrong."""
        found = self.problems(given)
        if found:
            raise refusal(self.address.uri, found)
        return filled(self.parameters, given)

    def own(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of some shared parameters that it takes."""
        names = {parameter.name for parameter in self.parameters}
        return {name: value for name, value in given.items() if name in names}


def _is_for(parameter: Parameter, variant: str) -> bool:
    return parameter.variants is None or variant in parameter.variants
