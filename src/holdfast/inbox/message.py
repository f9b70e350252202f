"""A message, its answers and its receipt: plain values that never change; and what a message may hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdfast.inbox.envelope import identity, is_line_range, is_storable, place_in_work_tree
from holdfast.kernel.errors import Invalid, InvalidPath
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.repo_path import RepoPath

State = Literal["pending", "delivered"]
AUTHOR_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Message:
    """One remark about a file, as it is stored."""

    sequence: int
    digest: str
    file: str
    comment: str
    line: str | None
    author: str | None
    time: str
    work_tree: str
    changed_lines: str | None
    delivered_at: str | None
    reply_count: int = 0

    @property
    def id(self) -> str:
        """Return the name of the message."""
        return identity(self.digest)

    @property
    def state(self) -> State:
        """Return whether an agent has had the message."""
        return "pending" if self.delivered_at is None else "delivered"

    @property
    def lines(self) -> str | None:
        """Return the lines it is about: those the sender named, or else those that had changed."""
        return self.line or self.changed_lines or None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer to a message."""

    text: str
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages claimed by one reader until its lease ends, and how many more wait behind them."""

    lease: str
    messages: Sequence[Message] = field(default_factory=tuple)
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the store that its owner may want to know."""

    is_damage: bool
    text: str


def acceptable_text(text: str, what: str, limit: int) -> str:
    """Return `text` unchanged when it says something, is not too long and can be stored."""
    if not visible(text).strip():
        raise Invalid(f"The {what} is empty.", hint=f"Write what you want to say as the {what}.")
    if len(text) > limit:
        raise Invalid(
            f"The {what} has {len(text)} characters; {limit} are allowed.", hint="Say it in fewer words."
        )
    if not is_storable(text):
        raise Invalid(f"The {what} is not valid Unicode text.", hint="Send it as UTF-8.")
    return text


def acceptable_line(line: str | None) -> str | None:
    """Return a line or range unchanged, or None when none is given."""
    if line is None or is_line_range(line):
        return line
    raise Invalid("The line is neither a number nor a range.", hint="Write it as N or N-M, counted from 1.")


def located(given: str, root: str, *, current: str | None = None) -> str:
    """Return the path from `root` of the file that `given` names; `.` is the work tree as a whole.

    Without `current`, somebody may have named it from the process's current directory.
    """
    try:
        inside = place_in_work_tree(given, root, current or _current_directory(root))
    except ValueError:
        inside = given  # a NUL character, which the parser below refuses with a reason
    if not given or inside is None:
        raise InvalidPath(
            f"The file '{os.path.basename(given) if os.path.isabs(given) else given}' "
            "is not inside this repository.",
            hint="Give a path relative to the repository root, such as 'src/main.py'.",
        )
    return inside if inside == os.curdir else RepoPath.parse(inside).text


def _current_directory(root: str) -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return root
