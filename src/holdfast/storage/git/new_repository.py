"""New repositories: commits with any authors and dates, without the user's identity.

Contract:
- Everything goes through `git fast-import`: no hook, filter or template of the user's runs, and the user's
  identity in git's configuration is neither read nor written.
- Afterwards the index is that of the last commit. The work tree is left to the caller.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import Signature
from holdfast.storage.git.repository import Repository

_BRANCH = "refs/heads/main"


class CommitWithFiles(NamedTuple):
    """A commit to make: author, message, and the files that differ from the commit before."""

    author: Signature
    message: str
    files: Mapping[RepoPath, bytes]


def new_repository(root: str) -> Repository:
    """Turn an existing empty folder into a repository without commits."""
    git_dir = os.path.join(root, ".git")
    repository = Repository(root, git_dir, git_dir)
    with Git(repository) as git:
        git.run("init", "--quiet", "--template=", f"--initial-branch={os.path.basename(_BRANCH)}")
    return Repository.at(root)


def append_commits(repository: Repository, commits: Iterable[CommitWithFiles]) -> None:
    """Add commits to the branch, in this order."""
    with Git(repository) as git:
        tip = git.head()
        stream = b"".join(_record(commit) for commit in commits)
        start = b"" if tip is None else f"reset {_BRANCH}\nfrom {tip}\n\n".encode()
        git.run("fast-import", "--quiet", given=start + stream)
        git.run("read-tree", "HEAD")


def _record(commit: CommitWithFiles) -> bytes:
    author = commit.author.line
    head = f"commit {_BRANCH}\nauthor {author}\ncommitter {author}\n".encode()
    changes = (
        f"M 100644 inline {path.text}\n".encode() + _data(content) for path, content in commit.files.items()
    )
    return head + _data(commit.message.encode()) + b"".join(changes) + b"\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
