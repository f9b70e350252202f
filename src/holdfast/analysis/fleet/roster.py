"""A list of repositories: a text with one on each line, as `path` or `path name`, and comments after `#`."""

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
    """Return the repositories that a list names, sorted by name; relative paths count from `base`.

    Who has no name is called as its path is written.
    """
    members: list[Member] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = _words(line, number)
        if not words:
            continue
        path = os.path.realpath(os.path.join(base, os.path.expanduser(words[0])))
        if not os.path.isdir(path):
            raise _said(
                NotFound, number, f"there is no folder '{words[0]}'", "Mend the path, or leave it out."
            )
        members.append(Member(words[-1], path, number))
    for what, values in (("folder", [one.path for one in members]), ("name", [one.name for one in members])):
        for place, value in enumerate(values):
            if (first := values.index(value)) != place:
                told = f"it has the same {what} as line {members[first].line}"
                raise _said(InvalidArguments, members[place].line, told, "Leave one out, or name them apart.")
    return sorted(members)


def _words(line: str, number: int) -> list[str]:
    try:
        words = shlex.split(line.replace("\0", " "), comments=True)
    except ValueError:
        raise _said(InvalidArguments, number, "a quotation does not end", "Add the other quote.") from None
    if len(words) > _TWO:
        hint = "A line is a path, or a path and a name; one with spaces goes into quotes."
        raise _said(InvalidArguments, number, f"there are {len(words)} words", hint)
    return words


def _said(kind: type[HoldfastError], number: int, told: str, hint: str) -> HoldfastError:
    return kind(f"Line {number} of the list: {told}.", hint=hint, line=number)
