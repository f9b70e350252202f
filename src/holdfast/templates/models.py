"""What the room's operations take and return."""

from __future__ import annotations

import json
from typing import Any, Literal, Self

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.templates.catalogue import BrokenFile
from holdfast.templates.definition import Parameter
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.rendering import RenderedFile
from holdfast.templates.scaffolding import GeneratedFile, Missed
from holdfast.templates.search import Hit
from holdfast.templates.template import Origin, Template

_URI = Field(
    max_length=LIMITS.path_characters, description="Template URI (e.g., template://makefile/rust/cli)."
)
_PARAMETERS = Field(description="Template parameters, by name.")
_NAME_CHARACTERS = 200


class GenerateTemplate(Input):
    """Which template to fill in, and with what."""

    resource_uri: str = _URI
    parameters: dict[str, Any] = _PARAMETERS


class Generated(Output):
    """A file as a template gives it."""

    content: UntrustedText = Field(description="The text of the file.")
    path: UntrustedText = Field(description="Where it belongs in the project.")
    mime_type: str = Field(description="What kind of text it is.")
    checksum: str = Field(description="SHA-256 of the content.")
    template: str = Field(description="The template it came from.")

    @classmethod
    def of(cls, template: Template, file: RenderedFile) -> Self:
        """Return a rendered file as a result."""
        return cls(
            content=file.content,
            path=file.path,
            mime_type=template.metadata.mime_type,
            checksum=file.checksum,
            template=template.address.uri,
        )


class ListTemplates(Input):
    """Which templates to list."""

    toolchain: str | None = Field(
        default=None, max_length=_NAME_CHARACTERS, description="Only this toolchain, such as rust."
    )
    category: str | None = Field(
        default=None, max_length=_NAME_CHARACTERS, description="Only this category, such as makefile."
    )


class ListedParameter(Output):
    """One value that a template takes."""

    name: str
    type: Literal["string", "boolean", "array"]
    required: bool
    default: UntrustedText | None = Field(description="What it is when it is not given, written as JSON.")
    description: UntrustedText
    rule: UntrustedText | None = Field(description="What each text must look like, if there is a rule.")

    @classmethod
    def of(cls, parameter: Parameter) -> Self:
        """Return a declared parameter as a result."""
        default = parameter.default
        return cls(
            name=parameter.name,
            type=parameter.type,
            required=parameter.required,
            default=None if default is None else json.dumps(default, ensure_ascii=False),
            description=parameter.description,
            rule=_rule(parameter),
        )


def _rule(parameter: Parameter) -> str | None:
    if parameter.choices is not None:
        return " | ".join(parameter.choices)
    return parameter.format or parameter.pattern


class ListedTemplate(Output):
    """A template and what it takes."""

    uri: str
    name: UntrustedText
    description: UntrustedText
    category: str
    toolchain: str
    variant: str
    mime_type: str = Field(description="What kind of text it gives.")
    origin: Origin = Field(description="Who wrote it.")
    parameters: list[ListedParameter]

    @classmethod
    def of(cls, template: Template, **more: Any) -> Self:
        """Return a template as a result."""
        return cls(
            uri=template.address.uri,
            name=template.place.name,
            description=template.place.description,
            category=template.address.category,
            toolchain=template.address.toolchain,
            variant=template.address.variant,
            mime_type=template.metadata.mime_type,
            origin=template.origin,
            parameters=[ListedParameter.of(parameter) for parameter in template.parameters],
            **more,
        )


class UnusableFile(Output):
    """A file in a folder of templates that gives none."""

    origin: Origin
    file: UntrustedText
    problem: UntrustedText

    @classmethod
    def of(cls, broken: BrokenFile) -> Self:
        """Return what is wrong with a file as a result."""
        return cls(origin=broken.origin, file=broken.file, problem=broken.problem)


class TemplateList(Output):
    """Templates, by toolchain and category."""

    templates: list[ListedTemplate]
    count: int
    broken: list[UnusableFile] = Field(
        description="Files in template folders that are no templates, and why."
    )


class ValidateTemplate(Input):
    """Which template's parameters to check."""

    resource_uri: str = _URI
    parameters: dict[str, Any] = _PARAMETERS


class ParameterProblem(Output):
    """One thing that is wrong with one parameter."""

    field: UntrustedText
    message: UntrustedText


class Validated(Output):
    """Whether parameters would be accepted."""

    valid: bool
    errors: list[ParameterProblem] = Field(description="Every problem; empty when the parameters are valid.")
    template: str = Field(description="The template they were checked for.")

    @property
    def exit_code(self) -> int:
        """Return the status of a command that found this."""
        return 0 if self.valid else ParameterValidation.exit_code


class ScaffoldProject(Input):
    """Which files to generate together."""

    toolchain: str = Field(max_length=_NAME_CHARACTERS, description="Target toolchain, such as rust.")
    templates: list[str] = Field(
        min_length=1,
        max_length=100,
        description="Categories such as makefile, template URIs, or `all` for a whole project.",
    )
    parameters: dict[str, Any] = Field(description="Parameters shared by all templates, by name.")
    variant: str = Field(
        default="cli", max_length=_NAME_CHARACTERS, description="Kind of project: cli or library."
    )


class ScaffoldedFile(Output):
    """One generated file."""

    path: UntrustedText = Field(description="Where it belongs, from the root of the project.")
    content: UntrustedText
    checksum: str = Field(description="SHA-256 of the content.")
    template: str | None = Field(
        description="The template it came from; null for the record of the scaffold."
    )

    @classmethod
    def of(cls, made: GeneratedFile) -> Self:
        """Return a generated file as a result."""
        file = made.file
        return cls(path=file.path, content=file.content, checksum=file.checksum, template=made.template)


class ScaffoldError(Output):
    """One template that gave no file."""

    template: UntrustedText = Field(description="As it was asked for.")
    code: int = Field(description="The number of the failure.")
    message: UntrustedText

    @classmethod
    def of(cls, missed: Missed) -> Self:
        """Return a template that was missed as a result."""
        return cls(template=missed.template, code=missed.code, message=missed.message)


class Scaffolded(Output):
    """A project's files. Nothing was written: that is for the caller to do."""

    files: list[ScaffoldedFile]
    errors: list[ScaffoldError] = Field(description="What could not be generated; empty when all was.")
    toolchain: UntrustedText
    variant: UntrustedText

    @property
    def exit_code(self) -> int:
        """Return the status of a command with this result."""
        return ParameterValidation.exit_code if self.errors else 0


class SearchTemplates(Input):
    """What to look for."""

    query: str = Field(min_length=1, max_length=_NAME_CHARACTERS, description="Search query.")
    toolchain: str | None = Field(
        default=None, max_length=_NAME_CHARACTERS, description="Only this toolchain, such as rust."
    )


class FoundTemplate(ListedTemplate):
    """A template that answers a query."""

    relevance: int = Field(description="How well it answers; higher is better.")
    matches: list[UntrustedText] = Field(description="Where the query was found.")

    @classmethod
    def of_hit(cls, hit: Hit) -> Self:
        """Return a hit as a result."""
        return cls.of(hit.template, relevance=hit.relevance, matches=hit.matches)


class SearchResult(Output):
    """Templates that answer a query, best first."""

    templates: list[FoundTemplate]
    query: UntrustedText
    count: int
