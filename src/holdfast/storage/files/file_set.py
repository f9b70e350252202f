"""Writes a set of files into a directory, and creates folders atomically.

Contract:
- A new directory is created with all its files, atomically, or not at all. Temporary folders of killed
  processes are removed by later calls, once they are an hour old.
- In an existing directory, nothing is written unless the caller has named every existing file that would
  change. Each file is replaced atomically; after an interruption, the same call finishes the work.
- Links inside the directory are never followed (see `work_tree.py`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress

from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.temporary import is_temporary_name, temporary_name
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository

_MIN_ABANDONED_SECONDS = 3600
"""The age at which a temporary folder is removed. A judgement: no scaffold or clone takes nearly as long."""
_MAX_COMPARED_BYTES = 4 * LIMITS.scaffold_bytes
"""A judgement: an existing file that is much larger than any scaffold is not one that we wrote."""


class FileSet:
    """The contents of files, by their path inside one directory."""

    def __init__(self, directory: str, files: Mapping[RepoPath, bytes]) -> None:
        self._directory = os.path.abspath(directory)
        self._label = os.path.basename(self._directory)
        self._files = files

    def existing(self) -> dict[RepoPath, bytes]:
        """Return the current content of the files that exist already."""
        if not os.path.lexists(self._directory):
            return {}
        tree = self._tree(self._directory)
        contents: dict[RepoPath, bytes] = {}
        for path in self._files:
            with suppress(NotFound):
                contents[path] = tree.read_bytes(path, _MAX_COMPARED_BYTES)
        return contents

    def write(self, *, replacing: Collection[RepoPath] = ()) -> list[RepoPath]:
        """Write the files, and return those that were new or had another content.

        Raises `Conflict` if that would change an existing file that is not in `replacing`.
        """
        if not os.path.lexists(self._directory):
            with atomic_folder(self._directory) as temporary:
                self._fill(temporary, self._files)
            return list(self._files)
        existing = self.existing()
        changed = [path for path, data in self._files.items() if existing.get(path) != data]
        refused = [path for path in changed if path in existing and path not in replacing]
        if refused:
            raise Conflict(
                f"{len(refused)} of the files exist already with other content: "
                f"{', '.join(path.text for path in refused)}.",
                hint="Name each one that may be replaced.",
                paths=[path.text for path in refused],
            )
        self._fill(self._directory, changed)
        return changed

    def _fill(self, directory: str, paths: Collection[RepoPath]) -> None:
        tree = self._tree(directory)
        for path in paths:
            tree.make_parents(path)
            tree.write(path, self._files[path])

    def _tree(self, directory: str) -> Tree:
        # Not the enclosing repository: nothing outside of this directory may be written to.
        with translate_disk_errors(self._label):
            return Tree(Repository(os.path.realpath(directory)))


@contextmanager
def atomic_folder(directory: str) -> Iterator[str]:
    """Yield an empty folder; at the end rename it to `directory`, or remove it if the block failed.

    At that time `directory` must not exist, or must be an empty folder.
    """
    parent, label = os.path.split(os.path.abspath(directory))
    temporary = os.path.join(parent, temporary_name(label))
    with translate_disk_errors(label):
        os.makedirs(parent, exist_ok=True)
        for name in filter(is_temporary_name, os.listdir(parent)):
            if os.lstat(os.path.join(parent, name)).st_mtime < time.time() - _MIN_ABANDONED_SECONDS:
                _remove_folder(os.path.join(parent, name))
        os.mkdir(temporary)
        try:
            yield temporary
            os.rename(temporary, directory)
        except BaseException:
            _remove_folder(temporary)
            raise
        flush_directory(parent)


def make_folder(path: str) -> str:
    """Create a folder and its missing parents, and return its path."""
    with translate_disk_errors(os.path.basename(path) or path):
        os.makedirs(path, exist_ok=True)
    return path


def _remove_folder(directory: str) -> None:
    import shutil  # here, because few of the commands that load this module need it

    shutil.rmtree(directory, ignore_errors=True)
