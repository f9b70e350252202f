"""Finds the files that differ between two states of a repository: commits, the index, the work tree.

Contract: git compares commits and the index, from objects alone. We compare the work tree ourselves, because
git would run the repository's filters: a file whose stat matches the index is unchanged, and of any other
file the bytes are compared, so converted line ends are a change. Between commits and the index, renames are
those that git finds; in the work tree, a file is renamed only if its bytes are the same. Links are never
followed, and nothing is written.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.history import numstat
from holdfast.storage.git.objects.object_format import stored_form
from holdfast.storage.git.project_files import FileStat, file_stats

GITLINK, LINK = "160000", "120000"
_RECURSIVE = ("-z", "-r", "--no-ext-diff", "--no-textconv", "--find-renames", "-l1000")
_RAW = ("--raw", "--no-abbrev", *_RECURSIVE)
_LISTED = ("ls-files", "-z", "-t", "--stage", "--debug", "--cached", "--others", "--exclude-standard")
_INDEX_STAT = re.compile(
    rb"  ctime: (?P<changed>\d+):(?P<changed_part>\d+)\n  mtime: (?P<modified>\d+):(?P<modified_part>\d+)\n"
    rb".*\n.*\n  size: (?P<size>\d+)\tflags: [0-9a-f]+\n(?s:(?P<next_entry>.*))"
)
"""What `ls-files --debug` writes after an entry; times are in seconds and nanoseconds."""
IndexStat = tuple[int, int, int]
"""The size, modification time and change time of a file, from git's index; times in nanoseconds."""


class FileSide(NamedTuple):
    """One side of a change: the file's mode in git, and its object id, or its stat if it was not read."""

    mode: str
    id: str


class ChangedFile(NamedTuple):
    """A file that differs, with its former path if it was renamed. A side without the file is None."""

    path: str
    former: str | None
    old: FileSide | None
    new: FileSide | None
    in_work_tree: bool = False
    """Whether the new side is the file in the work tree, rather than an object."""


def recorded_changes(git: Git, command: str, *compared: str) -> Iterator[ChangedFile]:
    """Yield the changes that `diff-tree` or `diff-index --cached` finds, without files in conflict."""
    output = git.run(command, *_RAW, *compared, "--", limit=LIMITS.listed_bytes)
    fields = iter(os.fsdecode(output).split("\0"))
    while header := next(fields):
        old_mode, new_mode, old_id, new_id, status = header.removeprefix(":").split(" ")
        former, path = next(fields) if status[0] in "RC" else None, next(fields)
        if status != "U":
            old = None if status == "A" else FileSide(old_mode, old_id)
            yield ChangedFile(path, former, old, None if status == "D" else FileSide(new_mode, new_id))


def line_counts(git: Git, command: str, *compared: str) -> dict[str, tuple[int, int]]:
    """Return by path how many lines were added and removed, as git counts them; binary files are left out.

    The arguments are those of `recorded_changes`.
    """
    output = git.run(command, "--numstat", *_RECURSIVE, *compared, "--", limit=LIMITS.listed_bytes)
    return {
        row.path: (int(row.added), int(row.deleted))
        for row in numstat.rows(os.fsdecode(output).removesuffix("\0"))
        if row.added.isdigit()
    }


def unstaged_changes(git: Git) -> Iterator[ChangedFile]:
    """Yield the differences between the index and the work tree, new files included."""
    tracked, untracked = _index(git)
    settings = dict(git.settings(r"^(core\.filemode|extensions\.objectformat)$"))
    stats = file_stats(git.repository.root, [*tracked, *untracked])
    for path in (*tracked, *untracked):
        old, index_stat = tracked.get(path, (None, None))
        stat = stats.get(path)  # a text says why there is none; None means that the file is missing
        if isinstance(stat, FileStat) and index_stat == (stat.size, stat.modified, stat.changed):
            continue
        current_call().check()
        algorithm = settings.get("extensions.objectformat", "sha1")
        new = None if stat is None else _read_side(git, path, stat, algorithm)
        if old and new and settings.get("core.filemode") == "false":
            new = new._replace(mode=old.mode)
        if old != new:
            yield ChangedFile(path, None, old, new, in_work_tree=True)


def compose_changes(first: Iterable[ChangedFile], second: Iterable[ChangedFile]) -> list[ChangedFile]:
    """Combine the changes from a commit to the index with those from the index to the work tree."""
    changes = {change.path: change for change in first}
    for change in second:
        combined = changes.pop(change.path, change)._replace(new=change.new, in_work_tree=True)
        if combined.new is None and combined.former is not None:  # renamed, then deleted
            combined = combined._replace(path=combined.former, former=None)
        if combined.old != combined.new or combined.former is not None:
            changes[combined.path] = combined
    deleted = {change.old.id: change for change in changes.values() if change.old and not change.new}
    for change in sorted(changes.values()):
        if change.old is None and change.new and (source := deleted.pop(change.new.id, None)):
            changes[change.path] = change._replace(former=source.path, old=source.old)
            del changes[source.path]
    return sorted(changes.values())


def contents(git: Git, change: ChangedFile, limit: int) -> Iterator[bytes]:
    """Yield the old and the new content of a file, empty if it is missing on that side.

    A content of more than `limit` bytes raises `TooLarge`.
    """
    for side, in_work_tree in ((change.old, False), (change.new, change.in_work_tree)):
        if side is None:
            yield b""
        elif in_work_tree:
            yield Tree(git.repository).read_bytes(RepoPath.parse(change.path), limit)
        else:
            blob = git.objects().read(side.id, limit)
            if blob is None:
                raise NotFound("An object is not in this clone.", hint="Run `git fetch`.")
            yield blob.data


def _index(git: Git) -> tuple[dict[str, tuple[FileSide, IndexStat | None]], list[str]]:
    """Return the tracked files, with the stat in the index, and the files neither tracked nor ignored."""
    index = f"{git.repository.git_dir}/index"
    index_time = os.stat(index).st_mtime_ns if os.path.exists(index) else 0
    tracked: dict[str, tuple[FileSide, IndexStat | None]] = {}
    untracked: list[str] = []
    last_path = ""
    for field in git.run(*_LISTED, limit=LIMITS.listed_bytes).split(b"\0"):
        entry = field
        if last_path and (recorded := _INDEX_STAT.match(field)):
            entry = recorded["next_entry"]
            modified = int(recorded["modified"]) * 10**9 + int(recorded["modified_part"])
            changed = int(recorded["changed"]) * 10**9 + int(recorded["changed_part"])
            if modified < index_time:  # otherwise the file may have changed after git recorded its stat
                side, _ = tracked[last_path]
                tracked[last_path] = side, (int(recorded["size"]), modified, changed)
        tag, _, rest = os.fsdecode(entry).partition(" ")
        last_path = ""
        if tag == "?" and not rest.endswith("/"):  # else it is a nested repository
            untracked.append(rest)
        elif rest and tag not in "?S":  # without files that a sparse checkout leaves out
            header, _, path = rest.partition("\t")
            mode, object_id, stage = header.split(" ")
            if stage in "02" and mode != GITLINK:  # merged, or our side of a conflict
                tracked[path] = (FileSide(mode, object_id), None)
                last_path = path
    return tracked, untracked


def _read_side(git: Git, path: str, stat: FileStat | str, algorithm: str) -> FileSide | None:
    """Return the current state of a file in the work tree, or None for anything but a file or a link."""
    place, mode, data = f"{git.repository.root}/{path}", LINK, None
    try:
        if isinstance(stat, FileStat):
            mode = "100755" if os.lstat(place).st_mode & 0o100 else "100644"
            data = Tree(git.repository).read_bytes(RepoPath.parse(path), LIMITS.diff_file_bytes)
        elif os.path.realpath(os.path.dirname(place)) == os.path.dirname(place):  # not behind a link
            data = os.fsencode(os.readlink(place))
    except (OSError, HoldfastError):
        pass  # too large, not a valid path, or removed meanwhile: its stat is used instead
    if data is None:
        return FileSide(mode, f"{stat.size}-{stat.modified}") if isinstance(stat, FileStat) else None
    return FileSide(mode, hashlib.new(algorithm, stored_form("blob", data)).hexdigest())
