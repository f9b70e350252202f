"""A repository made from nothing: commits with whatever authors and dates, and nobody's identity needed.

Contract:
- Everything goes through `git fast-import`: no hook, no filter and no template of the user's runs, and what
  the user told git about themselves is neither read nor written.
- Afterwards the index is that of the last commit. The work tree is the caller's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdfast.storage.files.work_tree import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits import Signature
from holdfast.storage.git.repository import Repository

_BRANCH = "refs/heads/main"


class CommitWithFiles(NamedTuple):
    """A commit to make: who and when, why, and the files that differ from the one before."""

    author: Signature
    message: str
    files: Mapping[RepoPath, bytes]


def new_repository(root: str) -> Repository:
    """Make an existing empty folder a repository without commits."""
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
    who = f"{commit.author.name} <{commit.author.email}> {commit.author.seconds} +0000"
    head = f"commit {_BRANCH}\nauthor {who}\ncommitter {who}\n".encode()
    changes = (
        f"M 100644 inline {path.text}\n".encode() + _data(content) for path, content in commit.files.items()
    )
    return head + _data(commit.message.encode()) + b"".join(changes) + b"\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
