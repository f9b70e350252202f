"""What a person types at the command line: paths from where they are, and their own name left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast.comments.sidecar.names import SUFFIX
from holdfast.comments.store import Comments
from holdfast.storage.files.repo_path import is_folder, typed_path

PERSON = "user"
"""Who writes at a command line, when git knows no name."""

AUTHOR = {"author": "your name in git"}
"""What help says about the author."""

FillIn = Callable[[Comments, dict[str, Any]], dict[str, Any]]


def paths(*names: str, signed: bool = False) -> FillIn:
    """Count these arguments from the current directory; where `signed`, add who writes."""

    def fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
        given = given | {name: _path(room, given[name]) for name in names if name in given}
        return _signed(room, given) if signed else given

    return fill_in


def patterns(name: str) -> FillIn:
    """Count a path or a pattern from the current directory; a folder means all that is in it."""

    def fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
        if name not in given:
            return given
        path = _path(room, given[name])
        if path.strip("/") in ("", "."):
            return {key: value for key, value in given.items() if key != name}
        return given | {name: f"{path.rstrip('/')}/" if is_folder(room.repository.root, path) else path}

    return fill_in


def _path(room: Comments, typed: object) -> Any:
    if not isinstance(typed, str):
        return typed
    return typed_path(room.repository.root, typed, companions=(SUFFIX,))


def _signed(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
    """Sign with the name that the person gave git, unless another is given."""
    return {"author": room.history.person() or PERSON, **given}
