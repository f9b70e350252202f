"""`validate_template`: all problems with the parameters for a template."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import visible
from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.template import ParameterProblem, WithParameters
from holdfast.templates.toolset import templates


class ValidateTemplate(WithParameters):
    """The template, and the parameters to check."""


class ParameterCheck(Output):
    """Whether parameters would be accepted."""

    valid: bool
    errors: list[ParameterProblem] = Field(description="All problems; empty if the parameters are valid.")
    template: str = Field(description="URI of the template that the parameters were checked for.")

    @property
    def exit_code(self) -> int:
        return 0 if self.valid else ParameterValidation.exit_code


def validation_text(result: ParameterCheck) -> str:
    """Return as text that the parameters are valid, or all problems with them."""
    if result.valid:
        return "Template parameters are valid"
    errors = [f"{error.field}: {error.message}" for error in result.errors]
    return visible("\n".join([f"Validation failed: {counted(len(errors), 'error')}", *errors]))


@templates.operation(
    "validate_template",
    title="Validate template parameters",
    effect=Effect.READ,
    listed=False,
    command="validate",
    positional=("resource_uri",),
    example=(
        "holdfast templates validate template://makefile/rust/cli"
        """ --parameters '{"project_name": "kelp", "has_tests": false}'"""
    ),
    specified=True,
    text=validation_text,
)
def validate_template(room: Templates, args: ValidateTemplate) -> ParameterCheck:
    """Check parameters for a template without generating anything, and report every problem."""
    template = room.find(args.resource_uri)
    problems = template.problems(args.parameters)
    return ParameterCheck(valid=not problems, errors=problems, template=template.address.uri)
