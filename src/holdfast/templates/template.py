"""A template at one of its addresses: its parameters, their validation, and its form in results.

Contract: `validate_template` and `generate_template` use the same validator.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field

from holdfast.kernel.errors import did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output
from holdfast.kernel.untrusted import UntrustedText, visible
from holdfast.templates.address import TemplateAddress
from holdfast.templates.definition import (
    FORMATS,
    DeclaredAddress,
    Parameter,
    TemplateDefinition,
    TemplateMetadata,
    Value,
    compile_pattern,
)
from holdfast.templates.errors import ParameterValidation

Values = Mapping[str, Value | None]

MAX_QUERY_CHARACTERS = 200
"""Characters of a name or a query in arguments; a judgement: longer ones match nothing."""
_MAX_QUOTED_CHARACTERS = 40
"""Characters of an unknown parameter name in an error message; the longest valid name has as many."""
_LINE_BREAKS_AND_TABS = frozenset("\n\r\t\x0b\x0c")
_TYPE_PHRASES = {"string": "a text", "boolean": "true or false", "array": "a list of texts"}


class ParameterProblem(Output):
    """One problem with one parameter."""

    field: UntrustedText
    message: UntrustedText


def _problem(field: str, message: str) -> ParameterProblem:
    return ParameterProblem(field=field, message=message)


def find_problems(declared: Iterable[Parameter], given: Mapping[str, Any]) -> list[ParameterProblem]:
    """Return all problems with the given parameters, in declaration order."""
    problems: list[ParameterProblem] = []
    names: list[str] = []
    for parameter in declared:
        names.append(parameter.name)
        if parameter.name in given:
            problems += _value_problems(parameter, given[parameter.name])
        elif parameter.required:
            problems.append(_problem(parameter.name, "Required parameter missing"))
    return problems + [_unknown_parameter(name, names) for name in given if name not in names]


def validation_error(subject: str, problems: list[ParameterProblem]) -> ParameterValidation:
    """Return the error that lists all problems with the parameters for `subject`."""
    listed = "; ".join(f"{problem.field}: {problem.message}" for problem in problems)
    return ParameterValidation(
        f"Parameter validation failed for {subject}: {listed}.",
        hint="list_templates shows what each template takes.",
        errors=[{"field": problem.field, "message": problem.message} for problem in problems],
    )


def _value_problems(parameter: Parameter, value: Any) -> list[ParameterProblem]:
    if parameter.type == "boolean":
        return [] if isinstance(value, bool) else [_wrong_type(parameter)]
    if not isinstance(value, list if parameter.type == "array" else str):
        return [_wrong_type(parameter)]
    return _text_list_problems(parameter, value if isinstance(value, list) else [value])


def _text_list_problems(parameter: Parameter, texts: list[Any]) -> list[ParameterProblem]:
    """Return the first problem with the texts of a list; other texts probably have the same problem."""
    if len(texts) > LIMITS.parameter_items:
        return [_problem(parameter.name, f"Has more than {LIMITS.parameter_items} items")]
    for text in texts:
        if not isinstance(text, str):
            return [_wrong_type(parameter)]
        problem = _text_problem(parameter, text)
        if problem is not None:
            return [_problem(parameter.name, problem)]
    return []


def _text_problem(parameter: Parameter, text: str) -> str | None:
    if len(text) > LIMITS.parameter_characters:
        return f"Has more than {LIMITS.parameter_characters} characters"
    if not parameter.multiline and not _LINE_BREAKS_AND_TABS.isdisjoint(text):
        return "Must be a single line"
    if visible(text) != text:
        return "Has an invisible character"
    if parameter.choices is not None and text not in parameter.choices:
        return f"Must be one of {', '.join(parameter.choices)}"
    if parameter.format is not None:
        problem = FORMATS[parameter.format].problem(text)
        if problem is not None:
            return problem[:1].upper() + problem[1:]
    if parameter.pattern is not None and compile_pattern(parameter.pattern).fullmatch(text) is None:
        return f"Does not match pattern: {parameter.pattern}"
    return None


def _wrong_type(parameter: Parameter) -> ParameterProblem:
    return _problem(parameter.name, f"Must be {_TYPE_PHRASES[parameter.type]}")


def _unknown_parameter(name: str, known: Iterable[str]) -> ParameterProblem:
    # The name is untrusted, so it is escaped (without the quotes of `ascii`) and shortened.
    name = name[:_MAX_QUOTED_CHARACTERS]
    message = f"Unknown parameter. {did_you_mean(name, known)}".rstrip(".")
    return _problem(ascii(name)[1:-1], message)


Origin = Literal["built-in", "user", "repository"]


@dataclass(frozen=True)
class Template:
    """A template at one of its addresses."""

    definition: TemplateDefinition
    declared: DeclaredAddress
    origin: Origin
    file: str
    address: TemplateAddress

    @property
    def metadata(self) -> TemplateMetadata:
        return self.definition.metadata

    @property
    def body(self) -> str:
        return self.definition.body

    @cached_property
    def parameters(self) -> list[Parameter]:
        """Return the parameters that its variant takes."""
        variant = self.address.variant
        return [item for item in self.metadata.parameters if variant in (item.variants or (variant,))]

    @property
    def is_builtin(self) -> bool:
        return self.origin == "built-in"

    def problems(self, given: Mapping[str, Any]) -> list[ParameterProblem]:
        return find_problems(self.parameters, given)

    def complete(self, given: Mapping[str, Any]) -> Values:
        """Return a value for each of its parameters, or raise an error that lists all problems."""
        problems = self.problems(given)
        if problems:
            raise validation_error(self.address.uri, problems)
        return {item.name: given.get(item.name, item.default) for item in self.parameters}

    def select(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given parameters without those that the template does not take."""
        names = {parameter.name for parameter in self.parameters}
        return {name: value for name, value in given.items() if name in names}


class WithParameters(Input):
    """A template, and values for its parameters."""

    resource_uri: str = Field(
        max_length=LIMITS.path_characters, description="Template URI (e.g., template://makefile/rust/cli)."
    )
    parameters: dict[str, Any] = Field(description="Template parameters, by name.")


class ListedParameter(Output):
    """One value that a template takes."""

    name: str
    type: Literal["string", "boolean", "array"]
    required: bool
    default: UntrustedText | None = Field(description="Value if none is given, as JSON.")
    description: UntrustedText
    rule: UntrustedText | None = Field(
        description="Choices, format or pattern of each text; null if any text is valid."
    )

    @classmethod
    def of(cls, parameter: Parameter) -> Self:
        default = parameter.default
        return cls(
            name=parameter.name,
            type=parameter.type,
            required=parameter.required,
            default=None if default is None else json.dumps(default, ensure_ascii=False),
            description=parameter.description,
            rule=" | ".join(parameter.choices or ()) or parameter.format or parameter.pattern,
        )


class ListedTemplate(Output):
    """A template and its parameters."""

    uri: str
    name: UntrustedText
    description: UntrustedText
    category: str
    toolchain: str
    variant: str
    mime_type: str = Field(description="Type of the text that the template generates.")
    origin: Origin = Field(description="Where the template comes from.")
    parameters: list[ListedParameter]

    @classmethod
    def of(cls, template: Template, **more: Any) -> Self:
        """Return a template as the tools list it; `more` are the fields of a subclass."""
        return cls(
            uri=template.address.uri,
            name=template.declared.name,
            description=template.declared.description,
            category=template.address.category,
            toolchain=template.address.toolchain,
            variant=template.address.variant,
            mime_type=template.metadata.mime_type,
            origin=template.origin,
            parameters=[ListedParameter.of(parameter) for parameter in template.parameters],
            **more,
        )


def json_array(items: Iterable[Output]) -> str:
    """Return results as a JSON array, as the toolkit specification requires."""
    return json.dumps([item.wire() for item in items], ensure_ascii=False, separators=(",", ":"))
