"""The MCP prompts that ask an agent to scaffold a project, one for each of three toolchains."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.models import Input
from holdfast.kernel.prompt import PromptMessage
from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.scaffold import ALL, ScaffoldRequest, scaffold
from holdfast.templates.toolset import templates

_INSTRUCTIONS = """\
Begin a new {title} project called {name}, as a {variant}.

1. Call `scaffold_project` with exactly these arguments:

{arguments}

2. If `errors` in the answer is not empty, report them and stop.
3. Write every file of `files` under the folder `{name}`, at its `path` and with its `content` unchanged, \
including `.scaffold.json`, which records where the files came from. Do not overwrite a file that exists \
without asking.
4. In that folder run `{check}`. It must pass as generated; if it does not, show its output.
5. Summarise in a few lines what was generated and what to do first.

The files will be: {files}."""


class _ScaffoldPrompt(Input):
    """The parameters that all toolchains share."""

    project_name: str = Field(description="Name of the project.")
    project_type: Literal["cli", "library"] = Field(description="Kind of project: cli or library.")


class ScaffoldRust(_ScaffoldPrompt):
    """The parameters of a Rust project."""

    has_tests: bool = Field(default=True, description="Whether it has tests.")
    has_benchmarks: bool = Field(default=False, description="Whether its Makefile runs benchmarks.")


class ScaffoldDeno(_ScaffoldPrompt):
    """The parameters of a Deno project."""

    permissions: str = Field(
        default="", description="Its permissions, as options separated by commas, such as --allow-read."
    )


class ScaffoldPython(_ScaffoldPrompt):
    """The parameters of a Python project."""

    python_version: str = Field(default="3.12", description="The oldest Python version it supports.")


@templates.prompt("scaffold-rust-project", title="Scaffold a Rust project", specified=True)
def scaffold_rust_project(room: Templates, args: ScaffoldRust) -> list[PromptMessage]:
    """Start a Rust project that builds and passes its tests."""
    chosen = {"has_tests": args.has_tests, "has_benchmarks": args.has_benchmarks}
    return _messages(room, "Rust", "rust", args, chosen, "make")


@templates.prompt("scaffold-deno-project", title="Scaffold a Deno project", specified=True)
def scaffold_deno_project(room: Templates, args: ScaffoldDeno) -> list[PromptMessage]:
    """Start a Deno project that passes its tests."""
    permissions = [item.strip() for item in args.permissions.split(",") if item.strip()]
    return _messages(
        room, "Deno", "deno", args, {"permissions": permissions} if permissions else {}, "make test"
    )


@templates.prompt("scaffold-python-project", title="Scaffold a Python project", specified=True)
def scaffold_python_project(room: Templates, args: ScaffoldPython) -> list[PromptMessage]:
    """Start a Python project, managed by uv, that passes its tests."""
    chosen = {"python_version": args.python_version}
    return _messages(room, "Python", "python-uv", args, chosen, "make install test")


def _messages(
    room: Templates, title: str, toolchain: str, args: _ScaffoldPrompt, chosen: dict[str, Any], check: str
) -> list[PromptMessage]:
    parameters = {
        "project_name": args.project_name,
        "description": f"A {title} {args.project_type}",
        **chosen,
    }
    # Generated here once, so that invalid parameters are refused before an agent acts on the prompt.
    generated = scaffold(room, ScaffoldRequest(toolchain, args.project_type, [ALL], parameters))
    for error in generated.errors:
        raise ParameterValidation(error.message)
    arguments = {"toolchain": toolchain, "variant": args.project_type, "templates": [ALL]}
    text = _INSTRUCTIONS.format(
        title=title,
        name=args.project_name,
        variant=args.project_type,
        arguments=json.dumps({**arguments, "parameters": parameters}, indent=2),
        check=check,
        files=", ".join(file.path for file in generated.files),
    )
    return [PromptMessage(text)]
