"""Arguments that several analyses have, and the options that declare an operation which analyses a
project."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.render.text_layout import TextView, format_renderer
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.storage.files.repo_path import typed_path

if TYPE_CHECKING:
    from holdfast.kernel.toolset import OperationOptions

Revision = Annotated[str, Field(max_length=LIMITS.path_characters)]
ForkRevision = Annotated[
    Revision | None,
    Field(description="Like `since`, but compared with the merge base of this revision and HEAD."),
]
"""A revision from which the current branch forked."""
ProjectPath = Annotated[
    str,
    Field(
        max_length=LIMITS.path_characters,
        description="A folder or file, from the root of the repository; `.` for all of it.",
    ),
]
REPORT_FORMATS = ("", "summary", "detailed", "full")
"""The formats whose text is a report for people; empty where there is no choice."""
PROJECT = {"project_path": "the whole repository"}
"""The default of the project's path that `fill_in_project` sets, as help shows it."""


class ProjectInput(Input):
    """The files to analyse."""

    project_path: ProjectPath = "."


def project_options(
    text: TextView,
    *positional_before: str,
    specified: bool = True,
    stages: int = 1,
    **formats: Callable[[Any], str],
) -> OperationOptions:
    """Return the options that declare an operation which analyses a project.

    Its result is rendered as JSON, in one of `formats` by name, or else as text. `positional_before` has the
    positional arguments of the command before the project's path.
    """
    render = format_renderer(text, formats)
    positional = (*positional_before, "project_path")
    return {
        **IN_PROJECT,
        "positional": positional,
        "specified": specified,
        "stages": stages,
        "report_formats": REPORT_FORMATS,
        "text": render,
        "table": render,
    }


def fill_in_project(room: Analysis, values: dict[str, Any]) -> dict[str, Any]:
    """Resolve the project's path against the current directory; by default it is the whole repository."""
    typed = values.get("project_path")
    if not isinstance(typed, str):
        return {"project_path": "."} | values  # the model refuses another type
    return values | {"project_path": typed_path(room.repository.root, typed)}


def requested_base(room: Analysis, since: str | None, diff: str | None) -> BaseCommit | None:
    """Return the commit to compare with: `since`, or where HEAD forked from `diff`; None without either."""
    if since is not None and diff is not None:
        raise InvalidArguments("`since` and `diff` are two ways to compare.", hint="Give one of them.")
    revision = diff if since is None else since
    return None if revision is None else BaseCommit(room.repository, revision, merge_base=diff is not None)


def document_limit(args: Input) -> int | None:
    """Return how many findings a document for other programs may have: all, unless a limit was given."""
    limit: int | None = vars(args)["limit"]
    return limit if "limit" in args.model_fields_set else None


IN_PROJECT: OperationOptions = {
    "positional": ("project_path",),
    "listed": False,
    "seconds": LIMITS.index_seconds,
    "fill_in": fill_in_project,
    "command_defaults": PROJECT,
}
"""The options of every operation that analyses a project."""
