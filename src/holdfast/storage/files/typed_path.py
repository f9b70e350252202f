"""From a path as somebody types it in a shell to the same file counted from the root of the work tree.

Contract:
- A path that is absolute, or begins with `./` or `../`, counts from where it says. Any other counts from the
  current directory when there is something of that name, and from the root when there is not.
- What leads out of the work tree comes back as it was typed; whoever opens it says what is wrong with it.
- Nothing is opened, and no link is followed but those on the way to the current directory.
"""

from __future__ import annotations

import os


def typed_path(root: str, typed: str, *, companions: tuple[str, ...] = ()) -> str:
    """Return what a typed path means, counted from the root; `companions` are endings of files beside it."""
    if not typed or "\0" in typed:
        return typed
    try:
        place = os.path.normpath(os.path.join(os.path.realpath(os.getcwd()), typed))
    except OSError:
        return typed  # the current directory is gone
    inside = _inside(root, place) or _inside(root, _with_real_folder(place))
    if inside is None:
        return typed
    is_told = os.path.isabs(typed) or typed.split("/", 1)[0] in (".", "..")
    if is_told or any(os.path.lexists(place + ending) for ending in ("", *companions)):
        return inside
    return typed


def is_folder(root: str, path: str) -> bool:
    """Return whether a path counted from the root is a folder."""
    return "\0" not in path and os.path.isdir(os.path.join(root, path))


def _inside(root: str, place: str) -> str | None:
    if place == root:
        return "."
    return place[len(root) :].lstrip("/") if place.startswith(root.rstrip("/") + "/") else None


def _with_real_folder(place: str) -> str:
    folder, name = os.path.split(place)
    return os.path.join(os.path.realpath(folder), name)
