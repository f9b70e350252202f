"""`scaffold_project`: several files of one toolchain, from shared parameters."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.scaffold import ScaffoldedFile, ScaffoldError, ScaffoldRequest, error_lines, scaffold
from holdfast.templates.template import MAX_QUERY_CHARACTERS
from holdfast.templates.toolset import templates


class ScaffoldProject(Input):
    """Which files to generate together."""

    toolchain: str = Field(max_length=MAX_QUERY_CHARACTERS, description="Target toolchain, such as rust.")
    templates: list[str] = Field(
        min_length=1,
        max_length=100,
        description="Categories such as makefile, template URIs, or `all` for a whole project.",
    )
    parameters: dict[str, Any] = Field(description="Parameters shared by all templates, by name.")
    variant: str = Field(
        default="cli", max_length=MAX_QUERY_CHARACTERS, description="Kind of project: cli or library."
    )


class ScaffoldedProject(Output):
    """A project's files, which the caller has to write."""

    files: list[ScaffoldedFile]
    errors: list[ScaffoldError] = Field(description="The templates that failed.")
    toolchain: UntrustedText
    variant: UntrustedText

    @property
    def exit_code(self) -> int:
        return ParameterValidation.exit_code if self.errors else 0


def scaffold_text(result: ScaffoldedProject) -> str:
    """List the files of a scaffold as text."""
    lines = [f"{file.path}  ({counted(len(file.content.splitlines()), 'line')})" for file in result.files]
    return "\n".join([*lines, *error_lines(result.errors)])


@templates.operation(
    "scaffold_project",
    title="Generate the files of a project",
    effect=Effect.READ,
    command="scaffold",
    positional=("toolchain",),
    example=(
        "holdfast templates scaffold rust --templates makefile --templates readme"
        """ --parameters '{"project_name": "kelp", "description": "Keeps hold"}'"""
    ),
    specified=True,
    command_text=scaffold_text,
)
def scaffold_project(room: Templates, args: ScaffoldProject) -> ScaffoldedProject:
    """Generate several files of one toolchain from shared parameters; `all` gives a project that builds.

    Nothing is written: the answer has every file with its path and checksum, and `.scaffold.json`, the
    record of their templates.
    """
    generated = scaffold(room, ScaffoldRequest(args.toolchain, args.variant, args.templates, args.parameters))
    return ScaffoldedProject(
        files=generated.files, errors=generated.errors, toolchain=args.toolchain, variant=args.variant
    )
