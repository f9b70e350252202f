"""Where a named file stands in the work tree, and where earlier configurations left their message.

Quick commands import this module, so it keeps to what Python loads at start anyway.
"""

from __future__ import annotations

import os

_LEGACY_PLACE = os.path.join("jesseduffield", "lazygit", "mcp-messages.json")


def legacy_message_file() -> str:
    """Return the path of the single message file that earlier lazygit configurations of this user write."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    folder = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")
    return os.path.join(folder, _LEGACY_PLACE)


def place_in_work_tree(given: str, root: str, current: str) -> str | None:
    """Return the path from `root` that `given` names, or None when it leaves the work tree.

    lazygit names files from the root. Somebody in a shell below the root names them from where they
    are; what exists there is what they mean.
    """
    path = os.path.normpath(os.path.join(_base(given, root, current), given))
    inside = _path_from(root, path)
    if inside is None and os.path.isabs(given):
        # The same place may have another name, through a link above the work tree.
        folder, name = os.path.split(path)
        inside = _path_from(root, os.path.join(os.path.realpath(folder), name))
    return inside


def _base(given: str, root: str, current: str) -> str:
    if _path_from(root, current) in (None, os.curdir):
        return root
    is_relative_to_current = given.startswith(("./", "../")) or os.path.lexists(os.path.join(current, given))
    return current if is_relative_to_current else root


def _path_from(root: str, path: str) -> str | None:
    if path == root:
        return os.curdir
    prefix = os.path.join(root, "")
    return path[len(prefix) :] if path.startswith(prefix) else None
