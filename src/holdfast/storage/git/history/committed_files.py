"""The files of a commit, the versions of files over time, and changes since the commit.

Contract: git's objects and the files are compared here, never by git itself, which would run the repository's
filters. So a file that git would convert when it is added, for example its line ends, is a changed file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.log_stream import PLAIN, commits, fields
from holdfast.storage.git.objects.object_format import is_id_of, stored_form
from holdfast.storage.git.project_files import FileStat, file_stats
from holdfast.storage.git.repository import Repository

_REGULAR_MODES = (b"100644", b"100755")
_MISSING_SIZE = b"BAD"
"""What git prints for the size of an object that is missing, as in a damaged clone."""


class CommittedFile(NamedTuple):
    """A regular file of a commit: the id of its blob, and its size in bytes."""

    id: str
    size: int


def committed_files(git: Git, commit: str, project: str) -> dict[str, CommittedFile]:
    """Return the regular files of a commit in a project's folder, or the project itself if it is a file.

    Files whose content is missing are left out.
    """
    below = ("--", project) if project else ()
    listed = git.run(
        "ls-tree", "-r", "-z", "--long", "--full-tree", commit, *below, limit=LIMITS.listed_bytes
    )
    files = {}
    for entry in listed.split(b"\0"):
        header, _, path = entry.partition(b"\t")
        if header.startswith(_REGULAR_MODES) and not header.endswith(_MISSING_SIZE):
            _, _, object_id, size = header.split()
            files[os.fsdecode(path)] = CommittedFile(object_id.decode("ascii"), int(size))
    return files


def first_parents(git: Git, max_count: int) -> list[tuple[str, int]]:
    """Return the last commit and its first-parent ancestors, newest first, each with its time in seconds."""
    if git.head() is None:
        return []
    listed = git.run(
        "rev-list", "--first-parent", "--timestamp", f"--max-count={max_count:d}", "HEAD", "--"
    ).splitlines()
    pairs = (line.decode("ascii").split() for line in listed)
    return [(commit, int(seconds)) for seconds, commit in pairs]


class BlobChange(NamedTuple):
    """A change of a file by a commit: the blob ids before and after it, empty if the file did not exist."""

    path: str
    before: str
    after: str


def blob_changes_since(git: Git, project: str, since: int, *, follow: bool) -> Iterator[BlobChange]:
    """Yield the changes to the files of a project since a time, newest first, without merges.

    With `follow`, a project that is one file is followed through renames, back to where it was copied from
    another file; its changes have its current path.
    """
    options = ("--raw", "--no-abbrev", "--no-diff-merges", *(("--follow",) if follow else ("--no-renames",)))
    period = (f"--since=@{since:d} +0000", "HEAD", "--", *((project,) if project else ()))
    pieces = git.stream("log", *PLAIN, *options, "--format=%H", *period)
    for _, rows in commits(fields(pieces), header_fields=1):
        for row, *paths in rows:
            *_, old, new, kind = row.split(" ")
            is_new = not old.strip("0") or kind.startswith("C")
            path = project if follow else paths[-1]
            yield BlobChange(path, "" if is_new else old, new if new.strip("0") else "")
            if is_new and follow:
                return  # earlier changes belong to the file that it was copied from


def changed_file(
    repository: Repository,
    committed: Mapping[str, CommittedFile],
    present: Collection[str],
    required: Collection[str],
) -> str | None:
    """Return a present file that differs from the commit, or a required file that is missing, or None.

    The files modified last are compared first, so that a change is found before most files are read.
    """
    stats = file_stats(repository.root, {*present, *required})
    missing = [path for path in required if path not in stats]
    if missing:
        return min(missing)
    times = {path: stat.modified if isinstance(stat, FileStat) else 0 for path, stat in stats.items()}
    tree = Tree(repository)
    newest_first = sorted(present, key=lambda path: (-times.get(path, 0), path))
    return next((path for path in newest_first if not _is_unchanged(committed.get(path), tree, path)), None)


def _is_unchanged(committed: CommittedFile | None, tree: Tree, path: str) -> bool:
    if committed is None:
        return False
    try:
        data = tree.read_bytes(RepoPath.parse(path), committed.size)
    except HoldfastError:
        return False
    return is_id_of(committed.id, stored_form("blob", data))
