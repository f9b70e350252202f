"""What the specification says about a line that no file can have: as about one that this file has not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.comments.errors import InvalidLineNumber
from holdfast.comments.sidecar.lines import split_lines
from holdfast.comments.sidecar.paths import source_path
from holdfast.comments.store import Comments
from holdfast.kernel.errors import HoldfastError, InvalidArguments


def explain_line(
    room: Comments, given: Mapping[str, Any], refusal: InvalidArguments, *, file: str, line: str
) -> None:
    """Say which lines a file has, where nothing but the line is wrong."""
    problems = refusal.data.get("problems")
    is_about_line = isinstance(problems, list) and all(f'"{line}"' in str(one) for one in problems)
    value = given.get(line)
    if not is_about_line or not isinstance(value, int | float | str) or not isinstance(given.get(file), str):
        return
    try:
        path = source_path(given[file]).text
        count = len(split_lines(room.text_of(path)))
    except HoldfastError:
        return  # the line is not all that is wrong
    shown = value[:40] if isinstance(value, str) else value
    told = InvalidLineNumber(path, 0, count)
    refusal.specified_message = told.specified_message
    refusal.hint = told.hint
    refusal.data |= told.data | {"line": shown}
