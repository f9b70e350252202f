"""The roster of a fleet: a list of repositories, one per line, as `path` or `path name`, with comments after
`#`."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from holdfast.kernel.errors import HoldfastError, InvalidArguments, NotFound

_MAX_WORDS = 2


class Member(NamedTuple):
    """A repository on the roster."""

    name: str
    path: str
    line: int


def parse_roster(text: str, base: str) -> list[Member]:
    """Return the listed repositories, sorted by name; paths are relative to `base`.

    The default name is the path as written.
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
    _require_distinct(members, "folder", [member.path for member in members])
    _require_distinct(members, "name", [member.name for member in members])
    return sorted(members)


def _require_distinct(members: list[Member], attribute: str, values: list[str]) -> None:
    """Raise for the first member with the same value as an earlier member."""
    first_lines: dict[str, int] = {}
    for member, value in zip(members, values, strict=True):
        if value in first_lines:
            raise _line_error(
                InvalidArguments,
                member.line,
                f"it has the same {attribute} as line {first_lines[value]}",
                "Remove one, or give them different names.",
            )
        first_lines[value] = member.line


def _words(line: str, number: int) -> list[str]:
    try:
        words = shlex.split(line.replace("\0", " "), comments=True)
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
