"""Rules for which folders of a work tree to scan for source files.

Folders of git, of Holdfast's stores, and of programs that install or cache files are not entered. A name that
is not a valid path component (see `RepoPath`) is left out, because no operation could address it.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from holdfast.kernel.errors import InvalidPath
from holdfast.storage.files.repo_path import RepoPath

FOREIGN_FOLDERS = frozenset((
    ".git", ".holdfast", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".idea", ".vscode",
))  # fmt: skip
"""Names of folders that contain no source of this repository."""


def is_entered(name: str) -> bool:
    """Return whether a folder of this name may contain source."""
    return name not in FOREIGN_FOLDERS and is_nameable(name)


def is_nameable(name: str) -> bool:
    """Return whether a name can be part of a `RepoPath`."""
    try:
        RepoPath.parse(name)
    except InvalidPath:
        return False
    return True


def entries(folder: str, wanted: Callable[[str], bool]) -> tuple[dict[str, int], list[str]]:
    """Return the folders to enter below a folder, with their inodes, and the wanted names in it."""
    folders, names = {}, []
    with os.scandir(folder) as scanned:
        for entry in scanned:
            if entry.is_dir(follow_symlinks=False):
                if is_entered(entry.name):
                    folders[entry.name] = entry.inode()
            elif wanted(entry.name) and is_nameable(entry.name):
                names.append(entry.name)
    return folders, names
