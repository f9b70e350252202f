"""Creates repositories and commits with any authors and dates, for the demo.

Contract:
- Commits are written by `git fast-import`: none of the user's hooks, filters or templates runs, and the
  user's identity in git's configuration is neither read nor written.
- Afterwards the index is that of the last commit. The caller writes the work tree.
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
    """A commit to create: author, message, and the files that differ from the commit before."""

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
        stream = b"".join(_commit_stream(commit) for commit in commits)
        start = b"" if tip is None else f"reset {_BRANCH}\nfrom {tip}\n\n".encode()
        git.run("fast-import", "--quiet", stdin=start + stream)
        git.run("read-tree", "HEAD")


def _commit_stream(commit: CommitWithFiles) -> bytes:
    author = commit.author.line
    head = f"commit {_BRANCH}\nauthor {author}\ncommitter {author}\n".encode()
    changes = (
        f"M 100644 inline {path.text}\n".encode() + _data_command(content)
        for path, content in commit.files.items()
    )
    return head + _data_command(commit.message.encode()) + b"".join(changes) + b"\n"


def _data_command(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
