"""The list of repositories: one per line, as `path` or `path name`, with comments after `#`."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from holdfast.kernel.errors import HoldfastError, InvalidArguments, NotFound

_TWO = 2


class Member(NamedTuple):
    """A repository of the list."""

    name: str
    path: str
    line: int


def roster(text: str, base: str) -> list[Member]:
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
    for what, values in (("folder", [one.path for one in members]), ("name", [one.name for one in members])):
        for place, value in enumerate(values):
            if (first := values.index(value)) != place:
                problem = f"it has the same {what} as line {members[first].line}"
                raise _line_error(
                    InvalidArguments,
                    members[place].line,
                    problem,
                    "Remove one, or give them different names.",
                )
    return sorted(members)


def _words(line: str, number: int) -> list[str]:
    try:
        words = shlex.split(line.replace("\0", " "), comments=True)
    except ValueError:
        raise _line_error(
            InvalidArguments, number, "a quote is not closed", "Add the closing quote."
        ) from None
    if len(words) > _TWO:
        hint = "A line is a path, or a path and a name; quote those with spaces."
        raise _line_error(InvalidArguments, number, f"there are {len(words)} words", hint)
    return words


def _line_error(kind: type[HoldfastError], number: int, problem: str, hint: str) -> HoldfastError:
    return kind(f"Line {number} of the list: {problem}.", hint=hint, line=number)
