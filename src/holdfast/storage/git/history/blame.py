"""Which commit last changed each line of a committed file, as `git blame` finds it.

Contract: git reads objects only and runs no conversion, whatever the repository configures, and ignores no
commit. Names are those of the mailmap.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git, GitOptions

_WITHOUT_SETTINGS = GitOptions(stand_in=True, environment={"GIT_CONFIG_GLOBAL": os.devnull})
"""For `blame.ignoreRevsFile`, which may name any file and cannot be reset on the command line."""
_LINE = re.compile(r"([0-9a-f]{40,64}) \d+ \d+")


class BlamedCommit(NamedTuple):
    """The commit that last changed a line."""

    id: str
    author: str
    time: int
    """The author's time, in seconds since 1970."""
    subject: str


def blame(git: Git, commit: str, path: RepoPath) -> list[BlamedCommit]:
    """Return for each line of a file in a commit the commit that last changed it."""
    has_setting = bool(git.settings(r"^blame\.ignorerevsfile$"))
    options = _WITHOUT_SETTINGS if has_setting else GitOptions()
    output = git.run("blame", "--porcelain", "--no-textconv", commit, "--", path.text, options=options)
    ids: list[str] = []
    # The facts of a commit precede the text of its first line; a text begins with a tab.
    facts: dict[str, dict[str, str]] = {}
    for line in output.decode("utf-8", "replace").split("\n"):
        if line.startswith("\t"):
            continue
        if match := _LINE.match(line):
            ids.append(match[1])
            facts.setdefault(match[1], {})
        elif ids:
            name, _, value = line.partition(" ")
            facts[ids[-1]].setdefault(name, value)
    commits = {
        name: BlamedCommit(name, known["author"], int(known["author-time"]), known.get("summary", ""))
        for name, known in facts.items()
    }
    return [commits[name] for name in ids]
