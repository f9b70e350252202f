"""Which files differ between two states of a repository: commits, the index, the work tree.

Contract: git compares commits and the index, from objects alone. We compare the work tree, because git would
run the repository's filters: a file whose stat matches the index is unchanged; of any other the bytes are
compared, so converted line ends are a change. Renames are those git finds; in the work tree only a file with
the same bytes counts as renamed. Links are never followed, and nothing is written.
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
from holdfast.storage.git.project_files import FileStat, file_stats

GITLINK, LINK = "160000", "120000"
_RAW = ("--raw", "-z", "-r", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--find-renames", "-l1000")
_LISTED = ("ls-files", "-z", "-t", "--stage", "--debug", "--cached", "--others", "--exclude-standard")
_INDEX_STAT = re.compile(
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n.*\n.*\n  size: (\d+)\tflags: [0-9a-f]+\n(?s:(.*))"
)
IndexStat = tuple[int, int, int]


class FileSide(NamedTuple):
    """One side of a change: the file's mode in git, and its id, or a substitute if it is not read."""

    mode: str
    id: str


class ChangedFile(NamedTuple):
    """A file that differs, with its former path if it was renamed. A side without the file is None."""

    path: str
    former: str | None
    old: FileSide | None
    new: FileSide | None
    in_work_tree: bool = False


def recorded_changes(git: Git, command: str, *compared: str) -> Iterator[ChangedFile]:
    """Yield the changes that `diff-tree` or `diff-index --cached` finds, without files in conflict."""
    output = git.run(command, *_RAW, *compared, "--", limit=LIMITS.listed_bytes)
    fields = iter(os.fsdecode(output).split("\0"))
    while facts := next(fields):
        old_mode, new_mode, old_id, new_id, status = facts.removeprefix(":").split(" ")
        former, path = next(fields) if status[0] in "RC" else None, next(fields)
        if status != "U":
            old = None if status == "A" else FileSide(old_mode, old_id)
            yield ChangedFile(path, former, old, None if status == "D" else FileSide(new_mode, new_id))


def unstaged_changes(git: Git) -> Iterator[ChangedFile]:
    """Yield the differences between the index and the work tree, new files included."""
    tracked, others = _index(git)
    settings = dict(git.settings(r"^(core\.filemode|extensions\.objectformat)$"))
    seen = file_stats(git.repository.root, [*tracked, *others])
    for path in (*tracked, *others):
        old, stat = tracked.get(path, (None, None))
        now = seen.get(path)
        if isinstance(now, FileStat) and stat == now[1:]:
            continue
        current_call().check()
        new = now and _present(git, path, now, settings.get("extensions.objectformat", "sha1"))
        if old and new and settings.get("core.filemode") == "false":
            new = new._replace(mode=old.mode)
        if old != new:
            yield ChangedFile(path, None, old, new or None, in_work_tree=True)


def compose_changes(first: Iterable[ChangedFile], second: Iterable[ChangedFile]) -> list[ChangedFile]:
    """Return the combined changes of two steps, to the index and on to the work tree, with renames."""
    rows = {change.path: change for change in first}
    for change in second:
        whole = rows.pop(change.path, change)._replace(new=change.new, in_work_tree=True)
        if whole.new is None and whole.former is not None:
            whole = whole._replace(path=whole.former, former=None)
        if whole.old != whole.new or whole.former is not None:
            rows[whole.path] = whole
    gone = {row.old.id: row for row in rows.values() if row.old and not row.new}
    for row in sorted(rows.values()):
        if row.old is None and row.new and (source := gone.pop(row.new.id, None)):
            rows[row.path] = row._replace(former=source.path, old=source.old)
            del rows[source.path]
    return sorted(rows.values())


def contents(git: Git, change: ChangedFile, limit: int) -> Iterator[bytes]:
    """Yield both contents of a file, empty for a side without it; over `limit` bytes raises `TooLarge`."""
    for side, is_file in ((change.old, False), (change.new, change.in_work_tree)):
        if side and is_file:
            yield Tree(git.repository).read_bytes(RepoPath.parse(change.path), limit)
        elif side and (found := git.objects().read(side.id, limit)) is None:
            raise NotFound("An object is not in this clone.", hint="Run `git fetch`.")
        else:
            yield found.data if side and found else b""


def _index(git: Git) -> tuple[dict[str, tuple[FileSide, IndexStat | None]], list[str]]:
    """Return what git tracks, with the stat in its index, and what it neither tracks nor ignores."""
    index = f"{git.repository.git_dir}/index"
    written = os.stat(index).st_mtime_ns if os.path.exists(index) else 0
    tracked: dict[str, tuple[FileSide, IndexStat | None]] = {}
    others: list[str] = []
    last = ""
    for field in git.run(*_LISTED, limit=LIMITS.listed_bytes).split(b"\0"):
        entry = field
        if last and (recorded_stat := _INDEX_STAT.match(field)):
            entry = recorded_stat[6]
            changed, changed_part, modified, modified_part, size = map(int, recorded_stat.groups()[:5])
            times = modified * 10**9 + modified_part, changed * 10**9 + changed_part
            if times[0] < written:  # otherwise the file may have been written after git recorded its stat
                tracked[last] = tracked[last][0], (size, *times)
        tag, _, rest = os.fsdecode(entry).partition(" ")
        last = ""
        if tag == "?" and not rest.endswith("/"):  # a repository of its own
            others.append(rest)
        elif rest and tag not in "?S":  # without files that a sparse checkout leaves out
            facts, _, path = rest.partition("\t")
            mode, object_id, stage = facts.split(" ")
            if stage in "02" and mode != GITLINK:  # merged, or our side of a conflict
                last, tracked[path] = path, (FileSide(mode, object_id), None)
    return tracked, others


def _present(git: Git, path: str, stat: FileStat | str, algorithm: str) -> FileSide | None:
    """Return the current state of a file, or None for anything but a file or a link."""
    place, mode, data = f"{git.repository.root}/{path}", LINK, None
    try:
        if isinstance(stat, FileStat):
            mode = "100755" if os.lstat(place).st_mode & 0o100 else "100644"
            data = Tree(git.repository).read_bytes(RepoPath.parse(path), LIMITS.diff_file_bytes)
        elif os.path.realpath(os.path.dirname(place)) == os.path.dirname(place):  # not behind a link
            data = os.fsencode(os.readlink(place))
    except (OSError, HoldfastError):
        pass  # too large, unnameable, or removed meanwhile: its stat must do
    if data is None:
        return FileSide(mode, f"{stat.size}-{stat.modified}") if isinstance(stat, FileStat) else None
    return FileSide(mode, hashlib.new(algorithm, b"blob %d\0%b" % (len(data), data)).hexdigest())
