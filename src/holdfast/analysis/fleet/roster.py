"""The roster of a fleet: a list of repositories, one per line, as `path` or `path name`, with comments after
`#`."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from holdfast.kernel.errors import HoldfastError, InvalidArguments, NotFound

_MAX_WORDS = 2
"""A path, and optionally a name."""


class Member(NamedTuple):
    """A repository on the roster."""

    name: str
    path: str
    """The absolute path of its folder, with links resolved."""
    line: int
    """The number of its line, from 1."""


def parse_roster(text: str, base: str) -> list[Member]:
    """Return the listed repositories, sorted by name; paths are relative to the folder `base`.

    The default name is the path as written. A folder that is missing, and a folder or name that is listed
    twice, raise an error with the line.
    """
    members: list[Member] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = _words(line, number)
        if not words:
            continue
        path = os.path.realpath(os.path.join(base, os.path.expanduser(words[0])))
        if not os.path.isdir(path):
            raise _line_error(
                NotFound, number, f"there is no folder '{words[0]}'", "Fix the path, or remove the line."
            )
        members.append(Member(words[-1], path, number))
    _require_distinct("folder", {member.line: member.path for member in members})
    _require_distinct("name", {member.line: member.name for member in members})
    return sorted(members)


def _require_distinct(attribute: str, values_by_line: dict[int, str]) -> None:
    """Raise for the first line with the same value as an earlier line."""
    first_lines: dict[str, int] = {}
    for number, value in values_by_line.items():
        first = first_lines.setdefault(value, number)
        if first != number:
            problem = f"it has the same {attribute} as line {first}"
            raise _line_error(InvalidArguments, number, problem, "Remove one, or give them different names.")


def _words(line: str, number: int) -> list[str]:
    try:
        words = shlex.split(line.replace("\0", " "), comments=True)  # no path contains a zero byte
    except ValueError:
        raise _line_error(
            InvalidArguments, number, "a quote is not closed", "Add the closing quote."
        ) from None
    if len(words) > _MAX_WORDS:
        hint = "A line is a path, or a path and a name; quote those with spaces."
        raise _line_error(InvalidArguments, number, f"there are {len(words)} words", hint)
    return words


def _line_error(kind: type[HoldfastError], number: int, problem: str, hint: str) -> HoldfastError:
    return kind(f"Line {number} of the list: {problem}.", hint=hint, line=number)
