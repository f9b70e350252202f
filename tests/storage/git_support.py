"""Plain git, as a person would run it, for setting up what the tests look at."""

from __future__ import annotations

import subprocess
from pathlib import Path

from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.commits.commit import NewCommit, Signature


def git(where: Path, *arguments: str, check: bool = True) -> str:
    answer = subprocess.run(["git", *arguments], cwd=where, capture_output=True, text=True, timeout=60)
    assert not check or answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def commit(where: Path, files: dict[str, bytes | str], message: str = "A change") -> str:
    """Write files, commit them and return the commit's id."""
    for name, content in files.items():
        target = where / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    git(where, "--literal-pathspecs", "add", "--", *files)
    git(where, "commit", "--quiet", "-m", message)
    return git(where, "rev-parse", "HEAD")


def write_empty_tree(git: Git) -> str:
    """Make sure that the empty tree exists, and return its id."""
    return git.run("mktree", stdin=b"").decode("ascii").strip()


def write_commit(git: Git, tree: str, parent: str | None, commit: NewCommit) -> str:
    """Write a commit as git itself does, into a file of its own, and return its id."""
    parents = () if parent is None else ("-p", parent)
    people = {**_variables("AUTHOR", commit.author), **_variables("COMMITTER", commit.committer)}
    options = GitOptions(("i18n.commitEncoding=UTF-8",), people)
    output = git.run("commit-tree", *parents, tree, stdin=commit.message.encode(), options=options)
    return output.decode("ascii").strip()


def _variables(role: str, person: Signature) -> dict[str, str]:
    return {
        f"GIT_{role}_NAME": person.name,
        f"GIT_{role}_EMAIL": person.email,
        f"GIT_{role}_DATE": f"@{person.seconds} +0000",
    }
