"""The room of sources: one repository, its files and git's objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.errors import Denied
from holdfast.source.diff.review import Reviews
from holdfast.source.jumps import Jumps
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.project_files import checked_project, list_files
from holdfast.storage.git.repository import Repository
from holdfast.syntax.colours import Colouring
from holdfast.syntax.languages import language_of
from holdfast.syntax.record import Definition

_COLOURINGS = 16
"""Texts whose colours are remembered, a few megabytes each where they are long."""


class Source:
    """What the operations on the sources of one repository share."""

    def __init__(
        self, repository: Repository, symbols: Callable[[], Mapping[str, tuple[Definition, ...]]] = dict
    ) -> None:
        """`symbols` tells what is known of the definitions in files, without reading any."""
        self.repository = repository
        self.tree = Tree(repository)
        self.symbols = symbols
        self.jumps: VersionedCache[Jumps] = VersionedCache(1)
        self._colourings: VersionedCache[Colouring] = VersionedCache(_COLOURINGS)

    @cached_property
    def git(self) -> Git:
        """Git, for this repository; outside of one this is refused."""
        return Git(self.repository)

    @cached_property
    def reviews(self) -> Reviews:
        """What differs between states of this repository."""
        return Reviews(self.git)

    def files(self, folder: str) -> tuple[str, list[str]]:
        """Return a folder's checked path and the files below it that git tracks or would add, sorted."""
        asked = checked_project(self.repository, folder)
        git = None if self.repository.git_dir is None else self.git
        return asked, list_files(self.repository, git, asked).paths

    def refuse_ignored(self, path: RepoPath) -> None:
        """Raise where git ignores a file: it may hold secrets, and is no source of this repository."""
        asked = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path.text)
        if self.repository.git_dir is not None and not self.git.run(*asked) and self.tree.exists(path):
            raise Denied(f"git ignores '{path.text}', so it is not shown.", hint="Open it in an editor.")

    def colouring(self, path: str, digest: str, text: str) -> Colouring:
        """Return the colours of a text, found once while its pages are read."""
        known = self._colourings.get(path, digest)
        return known or self._colourings.put(path, digest, Colouring(language_of(path, text), text))

    def close(self) -> None:
        """End the process that reads git's objects, if it runs."""
        if "git" in vars(self):
            self.git.close()
