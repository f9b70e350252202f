"""A digest of the state of a repository: equal states give the same analysis results.

It covers the commits of branches, tags and remotes, the content of every file in the work tree that git does
not ignore, and coverage reports. No program that the repository configures is run.
"""

from __future__ import annotations

from contextlib import closing, suppress
from hashlib import blake2b
from typing import NamedTuple

from holdfast.analysis.coverage.coverage_report import REPORT_PATHS
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
    """The checked-out commit and the digest."""

    commit: str | None
    """None outside git and before the first commit."""
    digest: str
    """In hexadecimal."""


def repository_state(repository: Repository) -> RepositoryState:
    """Return the current state, for which every file is read."""
    if repository.git_dir is None:
        return RepositoryState(None, _digest(repository, None, []))
    with closing(Git(repository)) as git:
        commit = git.head()
        tips = [sorted(git.ref_tips(prefix).items()) for prefix in _REFS]
        return RepositoryState(commit, _digest(repository, git, [commit, *tips]))


def _digest(repository: Repository, git: Git | None, history: list[object]) -> str:
    digest = blake2b(repr(history).encode(), digest_size=16)  # no two states have the same 128 bits by chance
    if repository.bare:
        return digest.hexdigest()
    tree, call = Tree(repository), current_call()
    paths = dict.fromkeys((*list_files(repository, git, "").paths, *REPORT_PATHS))
    for path, stat in file_stats(repository.root, paths).items():
        call.check()
        content_hash: bytes | None = None
        if isinstance(stat, FileStat) and stat.size <= LIMITS.source_file_bytes:
            with suppress(HoldfastError):  # an invalid path, or deleted meanwhile: the stat is used
                content = tree.read_bytes(RepoPath.parse(path), LIMITS.source_file_bytes)
                content_hash = blake2b(content).digest()
        digest.update(repr((path, content_hash or stat)).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
