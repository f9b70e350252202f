"""A message, its replies and its delivery as immutable values; and what a message may contain."""

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
"""Longest name of an author. A chosen bound."""


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
        """Return the id of the message."""
        return identity(self.digest)

    @property
    def state(self) -> State:
        """Return whether the message was delivered to an agent."""
        return "pending" if self.delivered_at is None else "delivered"

    @property
    def lines(self) -> str | None:
        """Return the lines it is about: those the sender named, else those that had changed."""
        return self.line or self.changed_lines or None


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to a message."""

    text: str
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages leased to one reader, and how many more wait behind them."""

    lease: str
    messages: Sequence[Message] = field(default_factory=tuple)
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class InboxFinding:
    """A problem of the store, or a note about it, for `holdfast doctor`."""

    is_damage: bool
    text: str


def validated_text(text: str, what: str, limit: int) -> str:
    """Return `text` unchanged, or raise if it is blank, too long or not storable."""
    if not visible(text).strip():
        raise Invalid(f"The {what} is empty.", hint=f"Write the text of the {what}.")
    if len(text) > limit:
        raise Invalid(f"The {what} has {len(text)} characters; {limit} are allowed.", hint="Shorten it.")
    if not is_storable(text):
        raise Invalid(f"The {what} is not valid Unicode text.", hint="Send it as UTF-8.")
    return text


def validated_line(line: str | None) -> str | None:
    """Return a line or range unchanged, or raise if it is neither; None stays None."""
    if line is None or is_line_range(line):
        return line
    raise Invalid("The line is neither a number nor a range.", hint="Write it as N or N-M, counted from 1.")


def located(given: str, root: str, *, current: str | None = None) -> str:
    """Return the path from `root` of the file that `given` names; `.` is the work tree as a whole.

    Without `current`, it may be relative to the process's current directory.
    """
    try:
        inside = place_in_work_tree(given, root, current or _current_directory(root))
    except ValueError:
        inside = given  # a NUL character, which the parser below rejects with a reason
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
