"""`generate_template`: the text of one file, from a template and its parameters."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.templates.catalogue import Templates
from holdfast.templates.template import WithParameters
from holdfast.templates.toolset import templates


class GenerateTemplate(WithParameters):
    """Which template to fill in, and with what."""


class GeneratedFile(Output):
    """A file generated from a template."""

    content: UntrustedText = Field(description="The text of the file.")
    path: UntrustedText = Field(description="Path of the file in the project.")
    mime_type: str = Field(description="Type of the text.")
    checksum: str = Field(description="SHA-256 of the content.")
    template: str = Field(description="URI of the template.")


@templates.operation(
    "generate_template",
    title="Generate a file from a template",
    effect=Effect.READ,
    command="generate",
    positional=("resource_uri",),
    example=(
        "holdfast templates generate template://makefile/rust/cli"
        """ --parameters '{"project_name": "kelp"}'"""
    ),
    specified=True,
    specified_description="Generate a template from a URI",
    text=lambda result: result.content,
)
def generate_template(room: Templates, args: GenerateTemplate) -> GeneratedFile:
    """Generate the text of one file from a template and its parameters.

    Omitted parameters have their declared defaults. list_templates shows the parameters of each template.
    Nothing is written: `path` is where the file belongs.
    """
    template = room.find(args.resource_uri)
    file = room.generate(template, args.parameters)
    return GeneratedFile(
        content=file.content,
        path=file.path,
        mime_type=template.metadata.mime_type,
        checksum=file.checksum,
        template=template.address.uri,
    )
