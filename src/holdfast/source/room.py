"""The object that all operations on the source receive: the files and git objects of one repository.

Such an object is called a room: the facade of one toolset over one repository.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.errors import Denied, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.source.diff.review import Reviews
from holdfast.source.quick_open import QuickOpenIndex
from holdfast.storage.files.repo_path import RepoPath, typed_path
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.project_files import checked_project, list_files
from holdfast.storage.git.repository import Repository
from holdfast.syntax.highlighting import HighlightedText
from holdfast.syntax.languages import language_of
from holdfast.syntax.record import Definition

if TYPE_CHECKING:
    from holdfast.source.watched_files import WatchedSource
    from holdfast.storage.watching.topic_source import TopicSource

_MAX_CACHED_TEXTS = 16
"""Highlighted texts that are cached. A judgement: long texts take a few megabytes each."""


class Source:
    """The files and git objects of one repository, with caches."""

    def __init__(
        self, repository: Repository, symbols: Callable[[], Mapping[str, tuple[Definition, ...]]] = dict
    ) -> None:
        """`symbols` returns the known definitions by file, without reading files."""
        self.repository = repository
        self.tree = Tree(repository)
        self.symbols = symbols
        self.quick_open: VersionedCache[QuickOpenIndex] = VersionedCache(1)
        self._highlighted: VersionedCache[HighlightedText] = VersionedCache(_MAX_CACHED_TEXTS)

    @cached_property
    def git(self) -> Git:
        """The git client; raises outside a repository."""
        return Git(self.repository)

    @cached_property
    def reviews(self) -> Reviews:
        return Reviews(self.git)

    @cached_property
    def _watched(self) -> WatchedSource:
        from holdfast.source.watched_files import WatchedSource  # few processes wait for changes

        return WatchedSource(self.repository)

    def topic(self, part: str) -> TopicSource:
        """Return the files to watch for changes."""
        del part  # the source is only watched as a whole
        return self._watched.topic_source()

    def files(self, folder: str) -> tuple[str, list[str]]:
        """Return the checked path of a folder, and the sorted files in it that git tracks or would add."""
        checked = checked_project(self.repository, folder)
        git = None if self.repository.git_dir is None else self.git
        return checked, list_files(self.repository, git, checked).paths

    def refuse_ignored(self, path: RepoPath) -> None:
        """Raise `Denied` if git ignores the file, because it may contain secrets."""
        command = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path.text)
        if self.repository.git_dir is not None and not self.git.run(*command) and self.tree.exists(path):
            raise Denied(f"git ignores '{path.text}', so it is not shown.", hint="Open it in an editor.")

    def commit(self, revision: str | None) -> str | None:
        """Return the id of the commit that a revision names; None, the work tree, stays None."""
        return None if revision is None else self.git.resolve(f"{revision}^{{commit}}")

    def content(self, path: RepoPath, commit: str | None) -> bytes:
        """Return a file's content in a commit or, with None, in the work tree."""
        if commit is None:
            self.refuse_ignored(path)
            return self.tree.read_bytes(path, LIMITS.source_file_bytes)
        blob = self.git.objects().read(f"{commit}:{path.text}", LIMITS.source_file_bytes)
        if blob is None or blob.kind != "blob":
            raise NotFound(
                f"{commit} has no file '{path.text}'.", hint="Name a file that it has.", path=path.text
            )
        return blob.data

    def highlighted(self, path: str, digest: str, text: str) -> HighlightedText:
        """Return a text with highlighting, cached while its pages are read."""
        cached = self._highlighted.get(path, digest)
        return cached or self._highlighted.put(path, digest, HighlightedText(language_of(path, text), text))

    def close(self) -> None:
        """Stop the process that reads git objects, and watching, if either was begun."""
        if "git" in vars(self):  # the property was used
            self.git.close()
        if "_watched" in vars(self):
            self._watched.close()


def resolve_typed(argument: str) -> Callable[[Source, dict[str, Any]], dict[str, Any]]:
    """Return a function that resolves a path typed on the command line against the current directory."""

    def fill_in(room: Source, given: dict[str, Any]) -> dict[str, Any]:
        typed = given.get(argument)
        return given if typed is None else given | {argument: typed_path(room.repository.root, typed)}

    return fill_in
