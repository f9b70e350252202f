"""Processes arguments that several tools take: paths, the author, and line numbers.

On the command line, paths are relative to the current directory. A value that is no valid line number,
such as 0, causes the same error as a line that the file lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.comments.errors import InvalidLineNumber, quote_name
from holdfast.comments.sidecar.source import SUFFIX, source_path, split_lines
from holdfast.comments.store import Comments
from holdfast.kernel.errors import HoldfastError, InvalidArguments
from holdfast.kernel.text import shorten
from holdfast.storage.files.globs import escape_path, is_pattern
from holdfast.storage.files.repo_path import is_folder, typed_path
from holdfast.storage.git.person import person_name

AUTHOR_DEFAULT_TEXT = {"author": "your name in git"}
"""The default of the author in help texts."""

_MAX_SHOWN_CHARACTERS = 40
"""Characters of a wrong line number that an error repeats. A judgement: enough to recognise it."""

_COMMENT_ID = re.compile("c_[0-9]+")
_LINE_NUMBER = re.compile("[0-9]+")

FillIn = Callable[[Comments, dict[str, Any]], dict[str, Any]]
"""Completes the arguments given on the command line."""


def author_name(room: Comments, given: str | None) -> str:
    """Return the author of a comment: the given name, or else that of the user of this computer."""
    return given or person_name(room.repository)


def resolve_paths(*names: str) -> FillIn:
    """Return a function that resolves path arguments against the current directory."""

    def fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
        _refuse_swapped(given, names[0], "commentId", _COMMENT_ID)
        _refuse_swapped(given, "targetFile", "targetLine", _LINE_NUMBER)
        return given | {name: _resolve_path(room, given[name]) for name in names if name in given}

    return fill_in


def _refuse_swapped(given: Mapping[str, Any], first: str, second: str, form: re.Pattern[str]) -> None:
    """Raise if two consecutive arguments are swapped: only the first has the form of the second."""
    first_value, second_value = str(given.get(first, "")), str(given.get(second, ""))
    if form.fullmatch(first_value) and second_value and not form.fullmatch(second_value):
        raise InvalidArguments(
            f"'{first_value}' and '{second_value}' are swapped.", hint=f"`{first}` comes before `{second}`."
        )


def resolve_pattern(name: str) -> FillIn:
    """Return a function that resolves a path or pattern against the current directory.

    A folder is replaced by the pattern for everything in it.
    """

    def fill_in(room: Comments, given: dict[str, Any]) -> dict[str, Any]:
        if name not in given:
            return given
        path = _resolve_path(room, given[name])
        if path.strip("/") in ("", "."):
            return {key: value for key, value in given.items() if key != name}
        if is_folder(room.repository.root, path):
            return given | {name: f"{escape_path(path.rstrip('/'))}/**"}
        if not is_pattern(path):
            source = source_path(path)
            if room.tree.signature(source) is None and not room.sidecar_bytes(source):
                room.require_source(source)  # raises, because the file does not exist
        return given | {name: path}

    return fill_in


def _resolve_path(room: Comments, typed: object) -> Any:
    if not isinstance(typed, str):
        return typed
    return typed_path(room.repository.root, typed, companions=(SUFFIX,))


def explain_line(
    room: Comments, given: Mapping[str, Any], refusal: InvalidArguments, *, file: str, line: str
) -> None:
    """Change an error to that for an invalid line number, if the line number is all that is wrong."""
    problems = refusal.data.get("problems")
    is_about_line = isinstance(problems, list) and all(f'"{line}"' in str(problem) for problem in problems)
    value = given.get(line)
    if not is_about_line or not isinstance(value, int | float | str) or not isinstance(given.get(file), str):
        return
    try:
        path = source_path(given[file]).text
        count = len(split_lines(room.text_of(path)))
    except HoldfastError:
        return  # the path is wrong as well
    shown = shorten(value, _MAX_SHOWN_CHARACTERS) if isinstance(value, str) else value
    specified = InvalidLineNumber(path, 0, count)
    refusal.message = f"Invalid line number: {quote_name(path)} has no line {shown}"
    refusal.specified_message = specified.specified_message
    refusal.hint = str(specified.hint)
    if isinstance(value, str | bool):
        refusal.hint = refusal.hint.replace("be", "be a whole number", 1)
    refusal.data |= specified.data | {"line": shown, "suggestion": refusal.hint}
