"""The state of a repository as one value: equal states give an analysis the same answer.

It follows from the commits that branches, tags and remotes are at, and from the content of every file of the
work tree that git does not ignore, and of reports of coverage. No program that the repository's configuration
names is asked.
"""

from __future__ import annotations

from contextlib import closing
from hashlib import blake2b
from typing import NamedTuple

from holdfast.analysis.coverage.coverage_report import PLACES
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.project_files import FileStat, file_stats, list_files
from holdfast.storage.git.repository import Repository

_REFS = ("refs/heads/", "refs/tags/", "refs/remotes/")


class RepositoryState(NamedTuple):
    """What a repository looks like now."""

    commit: str | None
    """The one that is checked out; None outside of git and before the first."""
    digest: str


def repository_state(repository: Repository) -> RepositoryState:
    """Return the state, for which every file is read."""
    if repository.git_dir is None:
        return RepositoryState(None, _digest(repository, None, []))
    with closing(Git(repository)) as git:
        commit = git.head()
        tips = [sorted(git.ref_tips(prefix).items()) for prefix in _REFS]
        return RepositoryState(commit, _digest(repository, git, [commit, *tips]))


def _digest(repository: Repository, git: Git | None, history: list[object]) -> str:
    found = blake2b(repr(history).encode(), digest_size=16)
    if repository.bare:
        return found.hexdigest()
    tree, call = Tree(repository), current_call()
    paths = dict.fromkeys((*list_files(repository, git, "").paths, *PLACES))
    for path, seen in file_stats(repository.root, paths).items():
        call.check()
        content: bytes | None = None
        if isinstance(seen, FileStat) and seen.size <= LIMITS.source_file_bytes:
            try:
                content = blake2b(tree.read_bytes(RepoPath.parse(path), LIMITS.source_file_bytes)).digest()
            except HoldfastError:  # an odd name, or gone meanwhile: then by its looks
                pass
        found.update(repr((path, content or seen)).encode("utf-8", "surrogateescape"))
    return found.hexdigest()
