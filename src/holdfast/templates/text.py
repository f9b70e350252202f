"""Results of the room in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from holdfast.kernel.operation import Output
from holdfast.kernel.untrusted import visible
from holdfast.templates.models import (
    FoundTemplate,
    ListedParameter,
    ListedTemplate,
    ScaffoldedFile,
    ScaffoldError,
    SearchResult,
    TemplateList,
    Validated,
)


def array(items: Iterable[Output]) -> str:
    """Return results as a JSON array, which the specification asks of lists."""
    return json.dumps([item.wire() for item in items], ensure_ascii=False, separators=(",", ":"))


def listing(result: TemplateList) -> str:
    """Return templates with their parameters, for a person."""
    lines = [line for template in result.templates for line in _template(template)]
    broken = [f"{item.file} ({item.origin}): {item.problem}" for item in result.broken]
    notes = ["", "Files that are no templates:", *broken] if broken else []
    return "\n".join([*(lines or ["No templates."]), *notes])


def found(result: SearchResult) -> str:
    """Return what was found, for a person."""
    if not result.templates:
        return "No template matches."
    return "\n".join(_hit(template) for template in result.templates)


def verdict(result: Validated) -> str:
    """Say whether parameters are valid, and if not, why."""
    if result.valid:
        return "Template parameters are valid"
    errors = [f"{error.field}: {error.message}" for error in result.errors]
    return visible("\n".join([f"Validation failed: {len(errors)} errors", *errors]))


def scaffolded(files: Sequence[ScaffoldedFile], errors: Sequence[ScaffoldError]) -> str:
    """Name the files of a scaffold, for a person."""
    lines = [f"{file.path}  ({_lines(file.content)})" for file in files]
    return "\n".join([*lines, *missed(errors)])


def missed(errors: Sequence[ScaffoldError]) -> list[str]:
    """Say what could not be generated, a line for each."""
    return [f"{error.template}: {error.message}" for error in errors]


def _template(template: ListedTemplate) -> list[str]:
    return [
        f"{template.uri}  {template.name}",
        *(f"    {_parameter(parameter)}" for parameter in template.parameters),
    ]


def _parameter(parameter: ListedParameter) -> str:
    state = "required" if parameter.required else f"default {parameter.default}" if parameter.default else ""
    notes = ", ".join(note for note in (parameter.type, state) if note)
    return f"{parameter.name} ({notes})  {parameter.description}"


def _hit(template: FoundTemplate) -> str:
    return f"{template.relevance:>3}  {template.uri}  {template.name}  ({', '.join(template.matches)})"


def _lines(content: str) -> str:
    count = content.count("\n")
    return "1 line" if count == 1 else f"{count} lines"
