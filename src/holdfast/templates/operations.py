"""What can be done with templates over every face. None of it writes anything."""

from __future__ import annotations

from holdfast.kernel.operation import Effect
from holdfast.templates import text
from holdfast.templates.models import (
    FoundTemplate,
    Generated,
    GenerateTemplate,
    ListedTemplate,
    ListTemplates,
    ParameterProblem,
    Scaffolded,
    ScaffoldedFile,
    ScaffoldError,
    ScaffoldProject,
    SearchResult,
    SearchTemplates,
    TemplateList,
    UnusableFile,
    Validated,
    ValidateTemplate,
)
from holdfast.templates.scaffolding import Request, scaffold
from holdfast.templates.search import search
from holdfast.templates.store import Templates
from holdfast.templates.toolset import templates


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
def generate_template(room: Templates, args: GenerateTemplate) -> Generated:
    """Generate the text of one file from a template and its parameters.

    What is not given has its declared default. list_templates shows what each template takes. Nothing
    is written: `path` says where the file belongs.
    """
    template = room.find(args.resource_uri)
    return Generated.of(template, room.generate(template, args.parameters))


@templates.operation(
    "list_templates",
    title="List templates",
    effect=Effect.READ,
    command="list",
    example="holdfast templates list --toolchain rust",
    specified=True,
    text=lambda result: text.array(result.templates),
    command_text=text.listing,
)
def list_templates(room: Templates, args: ListTemplates) -> TemplateList:
    """List the templates there are, with the parameters each takes.

    Toolchains: rust, deno, python-uv, go, node; variants: cli, library. There are many templates: name a
    toolchain or a category to keep the answer short.
    """
    found = room.catalogue.matching(args.toolchain, args.category)
    return TemplateList(
        templates=[ListedTemplate.of(template) for template in found],
        count=len(found),
        broken=[UnusableFile.of(file) for file in room.catalogue.shelf().broken],
    )


@templates.operation(
    "validate_template",
    title="Validate template parameters",
    effect=Effect.READ,
    command="validate",
    positional=("resource_uri",),
    example=(
        "holdfast templates validate template://makefile/rust/cli"
        """ --parameters '{"project_name": "kelp", "has_tests": false}'"""
    ),
    specified=True,
    text=text.verdict,
)
def validate_template(room: Templates, args: ValidateTemplate) -> Validated:
    """Check parameters for a template without generating anything. Every problem is named."""
    template = room.find(args.resource_uri)
    found = template.problems(args.parameters)
    return Validated(
        valid=not found,
        errors=[ParameterProblem(field=problem.field, message=problem.message) for problem in found],
        template=template.address.uri,
    )


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
    command_text=lambda result: text.scaffolded(result.files, result.errors),
)
def scaffold_project(room: Templates, args: ScaffoldProject) -> Scaffolded:
    """Generate several files of one toolchain from shared parameters; `all` gives a project that builds.

    Nothing is written: the answer holds every file with its path and checksum, and `.scaffold.json`, the
    record of where they came from. What could not be generated is listed in `errors`.
    """
    made = scaffold(room, Request(args.toolchain, args.variant, args.templates, args.parameters))
    return Scaffolded(
        files=[ScaffoldedFile.of(file) for file in made.files],
        errors=[ScaffoldError.of(missed) for missed in made.errors],
        toolchain=args.toolchain,
        variant=args.variant,
    )


@templates.operation(
    "search_templates",
    title="Search templates",
    effect=Effect.READ,
    command="search",
    positional=("query",),
    example="holdfast templates search makefile --toolchain rust",
    specified=True,
    text=lambda result: text.array(result.templates),
    command_text=text.found,
)
def search_templates(room: Templates, args: SearchTemplates) -> SearchResult:
    """Search templates by name, description and parameters; best first, with what matched."""
    hits = search(room.catalogue.matching(args.toolchain), args.query)
    return SearchResult(
        templates=[FoundTemplate.of_hit(hit) for hit in hits], query=args.query, count=len(hits)
    )
