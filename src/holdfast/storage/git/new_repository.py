"""Creates repositories and commits with any authors and dates, for the demo.

Contract:
- Commits are written by `git fast-import`: none of the user's hooks, filters or templates runs, and the
  user's identity in git's configuration is neither read nor written.
- Afterwards the index is that of the last commit. The caller writes the work tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import NewCommit
from holdfast.storage.git.commits.commit_writer import import_stream
from holdfast.storage.git.repository import Repository

_BRANCH = "refs/heads/main"


def new_repository(root: str) -> Repository:
    """Turn an existing empty folder into a repository without commits."""
    git_dir = os.path.join(root, ".git")
    repository = Repository(root, git_dir, git_dir)
    with Git(repository) as git:
        git.run("init", "--quiet", "--template=", f"--initial-branch={os.path.basename(_BRANCH)}")
    return Repository.at(root)


def append_commits(repository: Repository, commits: Iterable[NewCommit]) -> None:
    """Add commits to the branch, in this order."""
    with Git(repository) as git:
        git.run("fast-import", "--quiet", "--done", stdin=import_stream(_BRANCH, git.head(), commits))
        git.run("read-tree", "HEAD")
