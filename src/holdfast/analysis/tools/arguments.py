"""Arguments of several analyses, and the options with which an analysis of a project is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.render.text_layout import TextView, rendering
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.storage.files.repo_path import typed_path

if TYPE_CHECKING:
    from holdfast.kernel.toolset import OperationOptions

Revision = Annotated[str, Field(max_length=LIMITS.path_characters)]
Fork = Annotated[
    Revision | None,
    Field(description="Like `since`, but compared with the merge base of this revision and HEAD."),
]
ProjectPath = Annotated[
    str,
    Field(
        max_length=LIMITS.path_characters,
        description="A folder or file, from the root of the repository; `.` for all of it.",
    ),
]
PROJECT = {"project_path": "the whole repository"}
"""The default of the project's path, as help shows it."""


class ProjectInput(Input):
    """The files to analyse."""

    project_path: ProjectPath = "."


def of_project(
    text: TextView, *before: str, specified: bool = True, **formats: Callable[[Any], str]
) -> OperationOptions:
    """Return the options with which an analysis of a project is declared.

    Its result is rendered as JSON, in one of `formats` by name, or else as text. `before` are the positional
    arguments of the command before the project's path.
    """
    render = rendering(text, formats)
    positional = (*before, "project_path")
    return {**IN_PROJECT, "positional": positional, "specified": specified, "text": render, "table": render}


def project(room: Analysis, given: dict[str, Any]) -> dict[str, Any]:
    """Resolve the project's path against the current directory; by default it is the whole repository."""
    typed = given.get("project_path", ".")
    if "project_path" not in given or not isinstance(typed, str):
        return {"project_path": "."} | given
    return given | {"project_path": typed_path(room.repository.root, typed)}


def base_of(room: Analysis, since: str | None, diff: str | None) -> BaseCommit | None:
    """Return the commit to compare with, if `since` or `diff` names one."""
    if since is not None and diff is not None:
        raise InvalidArguments("`since` and `diff` are two ways to compare.", hint="Give one of them.")
    revision = diff if since is None else since
    return None if revision is None else BaseCommit(room.repository, revision, fork=diff is not None)


def project_and_toolchain(room: Analysis, given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the project's path, and a toolchain to be detected."""
    return {"toolchain": "auto"} | project(room, given)


IN_PROJECT: OperationOptions = {
    "positional": ("project_path",),
    "listed": False,
    "seconds": LIMITS.index_seconds,
    "fill_in": project,
    "command_defaults": PROJECT,
}
"""The options of every analysis of a project."""
