"""Arguments that several tools take: paths, the author, and line numbers.

On the command line, paths are relative to the current directory, and the author defaults to the user's name
in git. A line number that no file can have gets the same error as one that this file does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.comments.errors import InvalidLineNumber
from holdfast.comments.sidecar.source import SUFFIX, source_path, split_lines
from holdfast.comments.store import Comments
from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.storage.files.globs import escape_path, is_pattern
from holdfast.storage.files.repo_path import is_folder, typed_path

PERSON = "user"
"""The author on the command line if git has no user name."""

AUTHOR = {"author": "your name in git"}
"""The default of the author in help texts."""

_COMMENT_ID = re.compile("c_[0-9]+")
_LINE = re.compile("[0-9]+")

FillIn = Callable[[Comments, dict[str, Any]], dict[str, Any]]


def paths(*names: str, signed: bool = False) -> FillIn:
    """Resolve path arguments against the current directory; if `signed`, add the author."""

    def fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
        _refuse_swapped(given, names[0], "commentId", _COMMENT_ID)
        _refuse_swapped(given, "targetFile", "targetLine", _LINE)
        given = given | {name: _path(room, given[name]) for name in names if name in given}
        # The user's name in git, unless an author is given.
        return {"author": room.history.person() or PERSON, **given} if signed else given

    return fill_in


def _refuse_swapped(given: Mapping[str, Any], first: str, second: str, kind: re.Pattern[str]) -> None:
    """Raise if two consecutive arguments were given in the wrong order."""
    one, other = str(given.get(first, "")), str(given.get(second, ""))
    if kind.fullmatch(one) and other and not kind.fullmatch(other):
        raise InvalidArguments(
            f"'{one}' and '{other}' are swapped.", hint=f"`{first}` comes before `{second}`."
        )


def patterns(name: str) -> FillIn:
    """Resolve a path or a pattern against the current directory; a folder means everything in it."""

    def fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
        if name not in given:
            return given
        path = _path(room, given[name])
        if path.strip("/") in ("", "."):
            return {key: value for key, value in given.items() if key != name}
        if is_folder(room.repository.root, path):
            return given | {name: f"{escape_path(path.rstrip('/'))}/**"}
        if not is_pattern(path) and room.tree.signature(one := source_path(path)) is None:
            room.sidecar_bytes(one) or room.require_source(one)  # raises if neither exists
        return given | {name: path}

    return fill_in


def _path(room: Comments, typed: object) -> Any:
    if not isinstance(typed, str):
        return typed
    return typed_path(room.repository.root, typed, companions=(SUFFIX,))


def explain_line(
    room: Comments, given: Mapping[str, Any], refusal: InvalidArguments, *, file: str, line: str
) -> None:
    """Report which lines a file has, if only the line number is wrong."""
    problems = refusal.data.get("problems")
    is_about_line = isinstance(problems, list) and all(f'"{line}"' in str(one) for one in problems)
    value = given.get(line)
    if not is_about_line or not isinstance(value, int | float | str) or not isinstance(given.get(file), str):
        return
    try:
        path = source_path(given[file]).text
        count = len(split_lines(room.text_of(path)))
    except HoldfastError:
        return  # the path is wrong, too
    shown = value[:40] if isinstance(value, str) else value
    specified = InvalidLineNumber(path, 0, count)
    refusal.specified_message = specified.specified_message
    refusal.hint = str(specified.hint)
    if isinstance(value, str | bool):
        refusal.hint = refusal.hint.replace("be", "be a whole number", 1)
    refusal.data |= specified.data | {"line": shown, "suggestion": refusal.hint}
