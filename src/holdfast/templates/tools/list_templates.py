"""`list_templates`: all templates and their parameters."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.templates.catalogue import Templates, UnusableFile
from holdfast.templates.template import NAME_CHARACTERS, ListedParameter, ListedTemplate, array
from holdfast.templates.toolset import templates


class ListTemplates(Input):
    """Which templates to list."""

    toolchain: str | None = Field(
        default=None, max_length=NAME_CHARACTERS, description="Only this toolchain, such as rust."
    )
    category: str | None = Field(
        default=None, max_length=NAME_CHARACTERS, description="Only this category, such as makefile."
    )


class TemplateList(Output):
    """Templates, by toolchain and category."""

    templates: list[ListedTemplate]
    count: int
    broken: list[UnusableFile] = Field(description="Files in template folders that are not usable, and why.")


def listing(result: TemplateList) -> str:
    """Return templates with their parameters, as text."""
    lines = [line for template in result.templates for line in _template(template)]
    broken = [f"{item.file} ({item.origin}): {item.problem}" for item in result.broken]
    notes = ["", "Unusable files:", *broken] if broken else []
    return "\n".join([*(lines or ["No templates."]), *notes])


def _template(template: ListedTemplate) -> list[str]:
    return [
        f"{template.uri}  {template.name}",
        *(f"    {_parameter(parameter)}" for parameter in template.parameters),
    ]


def _parameter(parameter: ListedParameter) -> str:
    state = "required" if parameter.required else f"default {parameter.default}" if parameter.default else ""
    notes = ", ".join(note for note in (parameter.type, state) if note)
    return f"{parameter.name} ({notes})  {parameter.description}"


@templates.operation(
    "list_templates",
    title="List templates",
    effect=Effect.READ,
    command="list",
    example="holdfast templates list --toolchain rust",
    specified=True,
    text=lambda result: array(result.templates),
    command_text=listing,
)
def list_templates(room: Templates, args: ListTemplates) -> TemplateList:
    """List templates with their parameters.

    Toolchains: rust, deno, python-uv, go, node; variants: cli, library. There are many templates: give a
    toolchain or a category to keep the answer short.
    """
    found = room.catalogue.matching(args.toolchain, args.category)
    return TemplateList(
        templates=[ListedTemplate.of(template) for template in found],
        count=len(found),
        broken=room.catalogue.snapshot().broken,
    )
