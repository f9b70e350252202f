"""A message, its replies and its delivery as immutable values, and the rules for the text of a message."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdfast.inbox.envelope import is_line_range, is_storable, message_id, path_in_work_tree
from holdfast.kernel.errors import Invalid, InvalidPath
from holdfast.kernel.untrusted import visible
from holdfast.storage.files.repo_path import RepoPath

State = Literal["pending", "delivered", "withdrawn"]
MAX_AUTHOR_CHARACTERS = 200
"""A judgement: enough for a long name with a mail address."""


@dataclass(frozen=True, slots=True)
class Message:
    """One remark about a file, as it is stored."""

    sequence: int
    digest: str
    file: str
    comment: str
    line: str | None
    author: str | None
    """None for the user of this computer."""
    time: str
    work_tree: str
    changed_lines: str | None
    delivered_at: str | None
    withdrawn_at: str | None = None
    reply_count: int = 0

    @property
    def id(self) -> str:
        return message_id(self.digest)

    @property
    def state(self) -> State:
        """Return whether the message was delivered to an agent, or withdrawn before."""
        if self.withdrawn_at is not None:
            return "withdrawn"
        return "pending" if self.delivered_at is None else "delivered"

    @property
    def lines(self) -> str | None:
        """Return the lines that the sender named, or else those that had changed."""
        return self.line or self.changed_lines or None


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to a message."""

    text: str
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages leased to one reader, and the number of those that still wait."""

    lease: str
    messages: Sequence[Message] = field(default_factory=tuple)
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class InboxFinding:
    """A problem with the store, or a note about it, for `holdfast doctor`."""

    is_damage: bool
    text: str


def validate_text(text: str, what: str, max_characters: int) -> str:
    """Return `text` unchanged, or raise if it is blank, too long or not storable."""
    if not visible(text).strip():
        raise Invalid(f"The {what} is empty.", hint=f"Write the text of the {what}.")
    if len(text) > max_characters:
        problem = f"The {what} has {len(text)} characters; {max_characters} are allowed."
        raise Invalid(problem, hint="Shorten it.")
    if not is_storable(text):
        raise Invalid(f"The {what} is not valid Unicode text.", hint="Send it as UTF-8.")
    return text


def validate_line(line: str | None) -> str | None:
    """Return a line or range unchanged, or raise if it is neither; None stays None."""
    if line is None or is_line_range(line):
        return line
    raise Invalid("The line is neither a number nor a range.", hint="Write it as N or N-M, counted from 1.")


def resolve_file(file: str, root: str, *, current: str | None = None) -> str:
    """Return the path of a file from `root`, or `.` for the whole work tree; raise if it is not in it.

    `file` may be relative to `current`, by default the process's current directory.
    """
    try:
        path = path_in_work_tree(file, root, current or _current_directory(root))
    except ValueError:
        path = file  # a NUL character, which the parser below rejects with a reason
    if not file or path is None:
        shown = os.path.basename(file) if os.path.isabs(file) else file
        raise InvalidPath(
            f"The file '{shown}' is not inside this repository.",
            hint="Give a path relative to the repository root, such as 'src/main.py'.",
        )
    return path if path == os.curdir else RepoPath.parse(path).text


def _current_directory(root: str) -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return root
