"""What the inbox accepts, with a reason and a next step for what it does not."""

from __future__ import annotations

import os

from holdfast.inbox.envelope import is_line_range, is_storable
from holdfast.inbox.places import place_in_work_tree
from holdfast.kernel.errors import Invalid, InvalidPath
from holdfast.storage.files.repo_path import RepoPath

AUTHOR_CHARACTERS = 200


def acceptable_text(text: str, what: str, limit: int) -> str:
    """Return `text` unchanged when it says something, is not too long and can be stored."""
    if not text.strip():
        raise Invalid(f"The {what} is empty.", hint=f"Write what you want to say as the {what}.")
    if len(text) > limit:
        raise Invalid(
            f"The {what} has {len(text)} characters; {limit} are allowed.", hint="Say it in fewer words."
        )
    if not is_storable(text):
        raise Invalid(f"The {what} is not valid Unicode text.", hint="Send it as UTF-8.")
    return text


def acceptable_author(author: str | None) -> str | None:
    """Return an author's name unchanged, or None when none is given."""
    return None if author is None else acceptable_text(author, "author", AUTHOR_CHARACTERS)


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
            f"The file '{os.path.basename(given)}' is not inside this repository.",
            hint="Give a path relative to the repository root, such as 'src/main.py'.",
        )
    return inside if inside == os.curdir else RepoPath.parse(inside).text


def _current_directory(root: str) -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return root
