"""What arguments mean that several analyses take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from holdfast.analysis.records.base import Base
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.storage.files.repo_path import typed_path

if TYPE_CHECKING:
    from holdfast.kernel.toolset import OperationOptions

Revision = Annotated[str, Field(max_length=LIMITS.path_characters)]
Fork = Annotated[
    Revision | None, Field(description="Like `since`, compared with where this branch left that one.")
]
ProjectPath = Annotated[
    str,
    Field(
        max_length=LIMITS.path_characters,
        description="A folder or file from the repository's root; `.` for all of it.",
    ),
]
PROJECT = {"project_path": "the whole repository"}
"""What help says about a project that is left out."""
_UNLIMITED = 10_000


class ProjectInput(Input):
    """Which files an analysis is about."""

    project_path: ProjectPath = "."


def of_project(laid_out: Callable[[Any, int], str], *before: str, specified: bool = True) -> OperationOptions:
    """Return how an analysis of a project is declared whose result is said within a width, or as JSON.

    `before` are the arguments that a command takes before the project's path.
    """

    def said(result: Any, width: int = _UNLIMITED) -> str:
        is_data = getattr(result, "format", None) == "json"
        return result.model_dump_json(by_alias=True) if is_data else laid_out(result, width)

    path = (*before, "project_path")
    return {**IN_PROJECT, "positional": path, "specified": specified, "text": said, "table": said}


def project(room: Analysis, given: dict[str, Any]) -> dict[str, Any]:
    """Count the project's path from the current directory; left out, it is the whole repository."""
    typed = given.get("project_path", ".")
    if "project_path" not in given or not isinstance(typed, str):
        return {"project_path": "."} | given
    return given | {"project_path": typed_path(room.repository.root, typed)}


def base_of(room: Analysis, since: str | None, diff: str | None) -> Base | None:
    """Return the commit that `since` or `diff` asks to compare with."""
    if since is not None and diff is not None:
        raise InvalidArguments("`since` and `diff` are two ways to compare.", hint="Give one of them.")
    revision = diff if since is None else since
    return None if revision is None else Base(room.repository, revision, fork=diff is not None)


def project_and_toolchain(room: Analysis, given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the project's path, and let the toolchain be found out where it is left out."""
    return {"toolchain": "auto"} | project(room, given)


IN_PROJECT: OperationOptions = {
    "positional": ("project_path",),
    "listed": False,
    "seconds": LIMITS.index_seconds,
    "fill_in": project,
    "command_defaults": PROJECT,
}
"""How an analysis of a project is declared, however its result is said."""
