"""Commits whose message names something. Outside git, and where git cannot answer in time, there are none."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.git import Git
from holdfast.storage.repository import Repository

_SECONDS = 5.0
_WORD = re.compile(r"[A-Za-z]+-\d+")
_FORMAT = "--format=%H%x1f%an%x1f%cI%x1f%s"


class NamedCommit(NamedTuple):
    """A commit, in short."""

    id: str
    author: str
    time: str
    subject: str


def commits_naming(repository: Repository, word: str, limit: int) -> list[NamedCommit]:
    """Return the newest commits whose message names a word such as `TP-12`, and not one that begins like
    it."""
    if repository.git_dir is None or not _WORD.fullmatch(word):
        return []
    pattern = f"(^|[^[:alnum:]-]){word}([^[:alnum:]]|$)"
    try:
        with Git(repository) as git:
            finished = git.execute(
                "log", "--extended-regexp", "--regexp-ignore-case", f"--grep={pattern}",
                f"--max-count={limit}",
                "--no-show-signature", "--no-color", _FORMAT, "-z", "HEAD", "--", seconds=_SECONDS,
            )  # fmt: skip
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return []
    parts = (item.split("\x1f", 3) for item in finished.output.decode(errors="replace").split("\0"))
    return [NamedCommit(*part) for part in parts if len(part) == 4] if finished.status == 0 else []
