"""`list_templates`: all templates and their parameters."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.templates.catalogue import Templates, UnusableFile
from holdfast.templates.template import MAX_QUERY_CHARACTERS, ListedParameter, ListedTemplate, json_array
from holdfast.templates.toolset import templates


class ListTemplates(Input):
    """Which templates to list."""

    toolchain: str | None = Field(
        default=None, max_length=MAX_QUERY_CHARACTERS, description="Only this toolchain, such as rust."
    )
    category: str | None = Field(
        default=None, max_length=MAX_QUERY_CHARACTERS, description="Only this category, such as makefile."
    )


class TemplateList(Output):
    """Templates, by toolchain and category."""

    templates: list[ListedTemplate]
    count: int
    broken: list[UnusableFile] = Field(description="Files in template folders that are not usable, and why.")


def list_text(result: TemplateList) -> str:
    """Return templates with their parameters, as text."""
    lines = [line for template in result.templates for line in _template_lines(template)]
    broken = [f"{item.file} ({item.origin}): {item.problem}" for item in result.broken]
    notes = ["", "Unusable files:", *broken] if broken else []
    return "\n".join([*(lines or ["No templates."]), *notes])


def _template_lines(template: ListedTemplate) -> list[str]:
    return [
        f"{template.uri}  {template.name}",
        *(f"    {_parameter_line(parameter)}" for parameter in template.parameters),
    ]


def _parameter_line(parameter: ListedParameter) -> str:
    notes: list[str] = [parameter.type]
    if parameter.required:
        notes.append("required")
    elif parameter.default:
        notes.append(f"default {parameter.default}")
    return f"{parameter.name} ({', '.join(notes)})  {parameter.description}"


@templates.operation(
    "list_templates",
    title="List templates",
    effect=Effect.READ,
    command="list",
    example="holdfast templates list --toolchain rust",
    specified=True,
    details=("templates.parameters",),
    text=lambda result: json_array(result.templates),
    command_text=list_text,
)
def list_templates(room: Templates, args: ListTemplates) -> TemplateList:
    """List templates with their parameters.

    Toolchains: rust, deno, python-uv, go, node; variants: cli, library.
    """
    found = room.catalogue.matching(args.toolchain, args.category)
    return TemplateList(
        templates=[ListedTemplate.of(template) for template in found],
        count=len(found),
        broken=room.catalogue.snapshot().broken,
    )
