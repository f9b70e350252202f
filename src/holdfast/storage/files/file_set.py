"""A set of files that belong together, put into a directory as a whole or not at all.

Contract:
- A directory that does not exist yet appears complete, in one step, or not at all.
- In a directory that exists, nothing is written while a file that differs was not named for replacement. Each
  file is replaced in one step; after an interruption the same call finishes the work.
- Links inside the directory are never followed (see `tree`).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from holdfast.kernel.errors import Conflict, NotFound
from holdfast.storage.files.atomic import TEMPORARY_SUFFIX, flush_directory
from holdfast.storage.files.os_errors import disk_failures_named
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository

Files = Mapping[RepoPath, bytes]

_COMPARED_BYTES = 16 * 1024 * 1024


class FileSet:
    """Files by their path inside one directory."""

    def __init__(self, directory: str, files: Files) -> None:
        self._directory = os.path.abspath(directory)
        self._label = os.path.basename(self._directory)
        self._files = files

    def present(self) -> dict[RepoPath, bytes]:
        """Return what stands in the directory now under the paths of the set."""
        if not os.path.lexists(self._directory):
            return {}
        tree = self._tree(self._directory)
        found: dict[RepoPath, bytes] = {}
        for path in self._files:
            try:
                found[path] = tree.read_bytes(path, _COMPARED_BYTES)
            except NotFound:
                continue
        return found

    def write(self, *, replacing: Collection[RepoPath] = ()) -> list[RepoPath]:
        """Put the files in place and return those that were not there already, as they are."""
        if not os.path.lexists(self._directory):
            self._appear()
            return list(self._files)
        present = self.present()
        wanted = [path for path, data in self._files.items() if present.get(path) != data]
        refused = [path for path in wanted if path in present and path not in replacing]
        if refused:
            raise Conflict(
                f"{len(refused)} of the files are there already with other content: "
                f"{', '.join(path.text for path in refused)}.",
                hint="Name each one that may be replaced.",
                paths=[path.text for path in refused],
            )
        self._fill(self._directory, wanted)
        return wanted

    def _appear(self) -> None:
        parent = os.path.dirname(self._directory)
        temporary = os.path.join(parent, f".{self._label[:48]}.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}")
        with disk_failures_named(self._label):
            os.makedirs(parent, exist_ok=True)
            os.mkdir(temporary)
            try:
                self._fill(temporary, self._files)
                os.rename(temporary, self._directory)
            except BaseException:
                _remove(temporary)
                raise
            flush_directory(parent)

    def _fill(self, directory: str, paths: Collection[RepoPath]) -> None:
        tree = self._tree(directory)
        for path in paths:
            tree.make_parents(path)
            tree.write(path, self._files[path])

    def _tree(self, directory: str) -> Tree:
        # Whatever encloses it: only this one directory is written to.
        with disk_failures_named(self._label):
            return Tree(Repository(os.path.realpath(directory)))


def _remove(directory: str) -> None:
    import shutil  # here, because every command that knows of scaffolds would pay for it

    shutil.rmtree(directory, ignore_errors=True)
