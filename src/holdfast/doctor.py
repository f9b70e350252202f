"""`holdfast doctor`: checks every store, reports problems, and makes only safe repairs.

Contract:
- Damaged data is reported and left as it is, even with `fix`. `fix` removes the temporary files of processes
  that have ended, denies other users of the machine access to the store, and merges comment files in which
  git left both sides of a conflict, keeping a copy of the original.
- Git's locks are never removed, because only a person can know that no git command is using them. A lock left
  by a killed Holdfast process is removed (see `refs.is_abandoned_lock`).
- A failing check is reported as one finding; the other checks still run.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field, StrictBool

from holdfast.kernel.dispatch.failures import holdfast_error
from holdfast.kernel.errors import Corrupted, HoldfastError
from holdfast.kernel.machine import translate_disk_errors
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.toolset import Toolset
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.mounts import is_network_filesystem
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.temporary import (
    ORPHAN_AGE_SECONDS,
    TEMPORARY_SUFFIX,
    is_temporary_name,
    sweep_orphans,
)
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.refs import is_abandoned_lock
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.store_file import DAMAGED_MARK, LOG_SUFFIX
from holdfast.storage.sql.upgrade import is_backup
from holdfast.storage.sql.write_ahead_log import MAX_LOG_BYTES, count_dropped_writes
from holdfast.storage.watching.listing import Listing
from holdfast.syntax.core import library

toolset = Toolset("stores", "The stores themselves: checks them for damage, counts and measures them.")

Severity = Literal["ok", "info", "warning", "damaged"]
Reader = Literal["compiled core", "python"]

_STORE = "store"
_READER = "reader"
_GIT = "git"
_COPY_FIRST_STEP = "Make a copy of it before anything else; then restore a backup."
_REPLACED_STORE = "This is a damaged store, which was replaced by an empty one."
_LOST_WRITES = "Its bytes had changed on disk: the last {count} writes in this log of a store were lost."
_LOST_WRITE = (
    "The last write in this log of a store was lost: its bytes had changed on disk, or the power failed"
    " before it was acknowledged."
)
_UPGRADE_BACKUP = "A backup of a store from before its upgrade, {size:,} bytes."
_BACKUP_STEP = "Once you are sure that the upgraded store works, you can move it elsewhere."
_DAMAGED_COPY_STEP = "Check what is missing; once that is resolved, move this copy elsewhere."
_ACCESS_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class RoomFinding(Protocol):
    """A finding of a room about its own store."""

    @property
    def is_damage(self) -> bool: ...

    @property
    def text(self) -> str: ...


class CheckableStore(Protocol):
    """A room that can check its own store."""

    def check(self) -> Iterable[RoomFinding]: ...


class Countable(Protocol):
    """A room that can count what it has stored."""

    def counts(self) -> dict[str, int]: ...


class FileFinding(RoomFinding, Protocol):
    """A finding of a room about one of its files in the work tree."""

    @property
    def path(self) -> str | None: ...

    @property
    def next_step(self) -> str | None: ...

    @property
    def fixed(self) -> bool: ...


@runtime_checkable
class FileKeeper(Protocol):
    """A room that stores its data in files of the work tree, and can repair some of them."""

    def examine(self, *, fix: bool) -> Iterable[FileFinding]: ...


@dataclass(frozen=True)
class StoreRoom:
    """The parts of a workspace to check and count: the repository, and the rooms that have a store."""

    repository: Repository
    rooms: Callable[[], Mapping[str, CheckableStore | FileKeeper]]
    countable_rooms: Callable[[], Mapping[str, Callable[[], Countable]]] = dict
    """Returns, for each room that can count its data, a function that opens it."""

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def display_path(self, path: str) -> str:
        """Return a path as messages show it, relative to the repository's root."""
        repository = self.repository
        if path.startswith(repository.root + os.sep) or repository.common_dir is None:
            return os.path.relpath(path, repository.root)
        return os.path.join(".git", os.path.relpath(path, repository.common_dir))


class CheckStores(Input):
    """Whether to make safe repairs."""

    fix: StrictBool = Field(default=False, description="Make the safe repairs, and report them.")


class Finding(Output):
    """The result of one check."""

    store: str = Field(
        description="What the finding concerns: the name of a toolset, `store`, `git` or `reader`."
    )
    path: UntrustedText | None = Field(
        description="Path from the root of the repository; null if no file is concerned."
    )
    severity: Severity = Field(description="Severity; only `damaged` means that something was lost.")
    message: UntrustedText = Field(description="What was found.")
    next_step: str | None = Field(default=None, description="What to do about the finding.")
    fixed: bool = Field(default=False, description="Whether this call repaired it.")


class StoresChecked(Output):
    """The results of all checks, and the amount of damage."""

    damaged: int = Field(description="Number of findings that are damage.")
    fixed: int = Field(description="Number of findings that this call repaired.")
    findings: list[Finding] = Field(description="The results of all checks.")
    reader: Reader = Field(
        description="What reads source files for analyses: the compiled core, or the slower reader in Python."
    )

    @property
    def exit_code(self) -> int:
        return Corrupted.exit_code if self.damaged else 0


def _text(result: StoresChecked) -> str:
    lines = [_line(finding) for finding in result.findings]
    damage = f"Damaged: {result.damaged}. The damaged bytes were left as they are."
    reader = (
        "by the compiled core" if result.reader == "compiled core" else "in Python, without the compiled core"
    )
    lines.append(f"Source files are read {reader}.")
    return "\n".join([*lines, damage if result.damaged else "No damage."])


def _line(finding: Finding) -> str:
    place = f"{finding.path}: " if finding.path else ""
    step = ""
    if finding.fixed:
        step = " Fixed."
    elif finding.next_step:
        step = f" {finding.next_step}"
    return f"[{finding.severity}] {place}{finding.message}{step}"


@toolset.operation(
    "check_stores",
    title="Check the stores",
    effect=Effect.WRITE,
    command="check",
    shortcut="doctor",
    example="holdfast doctor",
    idempotent=True,
    text=_text,
    listed=False,
)
def check_stores(room: StoreRoom, arguments: CheckStores) -> StoresChecked:
    """Check every store and report damage, leftovers and risks.

    Nothing changes unless `fix` is given. Then only safe repairs are made: temporary files of dead
    writers are removed, the store is closed to other users of the machine, and comment files in which
    git left both sides of a conflict are merged, keeping a copy of the original. Damaged stores are
    never touched.
    """
    findings = list(_run_checks(room, fix=arguments.fix))
    return StoresChecked(
        damaged=sum(finding.severity == "damaged" for finding in findings),
        fixed=sum(finding.fixed for finding in findings),
        findings=findings,
        reader="compiled core" if library.is_used() else "python",
    )


def _run_checks(room: StoreRoom, *, fix: bool) -> Iterator[Finding]:
    checks: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        (_STORE, partial(_check_file_system, room)),
        (_STORE, partial(_check_permissions, room, fix=fix)),
        # Locks before temporary files, because those of the same writer prove that a lock is Holdfast's.
        (_GIT, partial(_check_git_locks, room, fix=fix)),
        (_STORE, partial(_check_store_leftovers, room, fix=fix)),
        (_STORE, partial(_check_work_tree_leftovers, room, fix=fix)),
        *((name, partial(_check_room, room, name, fix=fix)) for name in room.rooms()),
        (_STORE, partial(_check_set_aside, room)),  # after the rooms, which set a damaged store aside
        (_READER, _check_reader),
    ]
    for store, check in checks:
        try:
            yield from check()
        except HoldfastError as failure:
            yield _failed_check(store, None, failure)
        except Exception as failure:
            yield _failed_check(store, None, holdfast_error(failure))


def _check_room(room: StoreRoom, name: str, *, fix: bool) -> Iterator[Finding]:
    opened = room.rooms()[name]
    if not isinstance(opened, FileKeeper):
        yield from _check_store(room, name, opened)
        return
    for finding in opened.examine(fix=fix):
        severity: Severity = "damaged" if finding.is_damage else "warning"
        yield _finding(name, finding.path, severity, finding.text, finding.next_step, fixed=finding.fixed)


def _check_store(room: StoreRoom, name: str, opened: CheckableStore) -> Iterator[Finding]:
    file = os.path.join(room.repository.store_directory, f"{name}.sqlite")
    path = room.display_path(file)
    try:
        findings = list(opened.check())
    except HoldfastError as failure:
        yield _failed_check(name, path, failure)
        return
    for finding in findings:
        if finding.is_damage:
            yield _finding(name, path, "damaged", finding.text, _COPY_FIRST_STEP)
        else:
            yield _finding(name, path, "info", finding.text)
    if os.path.lexists(file) and not any(finding.is_damage for finding in findings):
        yield _finding(name, path, "ok", "No problems found.")


def _failed_check(store: str, path: str | None, failure: HoldfastError) -> Finding:
    """Return the finding for a check that failed: damage, or a warning that it could not be made."""
    severity: Severity = "damaged" if isinstance(failure, Corrupted) else "warning"
    has_data = severity == "damaged" and not failure.data.get("missing")
    next_step = _COPY_FIRST_STEP if has_data else failure.hint
    return _finding(store, path, severity, failure.message, next_step)


def _finding(
    store: str, path: str | None, severity: Severity, message: str, next_step: str | None = None, **more: bool
) -> Finding:
    return Finding(store=store, path=path, severity=severity, message=message, next_step=next_step, **more)


def _check_file_system(room: StoreRoom) -> Iterator[Finding]:
    directory = room.repository.common_dir or room.repository.root
    if is_network_filesystem(directory):
        message = "The store is on a network file system, where locks are unreliable."
        path = room.display_path(room.repository.store_directory)
        yield _finding(_STORE, path, "warning", message, "Keep the repository on a local disk.")


def _check_permissions(room: StoreRoom, *, fix: bool) -> Iterator[Finding]:
    directory = room.repository.store_directory
    label = room.display_path(directory)
    if not os.path.lexists(directory):
        yield _finding(_STORE, label, "info", "Nothing has been stored yet.")
        return
    mode = os.lstat(directory).st_mode
    if not stat.S_ISDIR(mode):
        message = "The store is not a directory."
        yield _finding(_STORE, label, "damaged", message, "Move aside the file or link that has its name.")
    elif stat.S_IMODE(mode) & _ACCESS_BY_OTHERS:
        if fix:
            with translate_disk_errors(label):
                os.chmod(directory, stat.S_IMODE(mode) & ~_ACCESS_BY_OTHERS)
        message = "Other users of this machine have access to the store."
        next_step = "`holdfast doctor --fix` closes it to them."
        yield _finding(_STORE, label, "warning", message, next_step, fixed=fix)


def _check_store_leftovers(room: StoreRoom, *, fix: bool) -> Iterator[Finding]:
    directory = room.repository.store_directory
    if os.path.islink(directory) or not os.path.isdir(directory):
        return
    swept = frozenset(sweep_orphans(directory) if fix else ())
    with translate_disk_errors(room.display_path(directory)):
        remaining = {name for name in os.listdir(directory) if _is_old(directory, name, TEMPORARY_SUFFIX)}
    for name in sorted(swept | remaining):
        yield _leftover(room.display_path(os.path.join(directory, name)), fixed=name in swept)


def _check_work_tree_leftovers(room: StoreRoom, *, fix: bool) -> Iterator[Finding]:
    if room.repository.bare:
        return
    tree = Tree(room.repository)
    for path in Listing(room.repository, is_temporary_name).paths():
        if _is_old(room.repository.root, path, TEMPORARY_SUFFIX):
            if fix:
                tree.sweep(RepoPath.parse(path))
            yield _leftover(path, fixed=not os.path.lexists(os.path.join(room.repository.root, path)))


def _leftover(path: str, kind: str = "temporary file", *, fixed: bool) -> Finding:
    message = f"A dead process left a {kind}."
    next_step = "`holdfast doctor --fix` removes it."
    return _finding(_STORE, path, "info", message, next_step, fixed=fixed)


def _check_set_aside(room: StoreRoom) -> Iterator[Finding]:
    """Report copies of damaged stores, and backups from upgrades, until a person moves them."""
    directory = room.repository.store_directory
    if os.path.islink(directory) or not os.path.isdir(directory):
        return
    for name in sorted(filter(is_backup, os.listdir(directory))):
        path = os.path.join(directory, name)
        with translate_disk_errors(name):
            message = _UPGRADE_BACKUP.format(size=os.lstat(path).st_size)
        yield _finding(_STORE, room.display_path(path), "info", message, _BACKUP_STEP)
    for name in sorted(name for name in os.listdir(directory) if DAMAGED_MARK in name):
        path = os.path.join(directory, name)
        message = _REPLACED_STORE
        severity: Severity = "warning"
        is_file = os.path.isfile(path) and not os.path.islink(path)
        if is_file and name.partition(DAMAGED_MARK)[0].endswith(LOG_SUFFIX):
            with translate_disk_errors(name), open(path, "rb") as file:
                lost = count_dropped_writes(file.read(MAX_LOG_BYTES))
            if lost > 1:
                message, severity = _LOST_WRITES.format(count=lost), "damaged"
            else:
                message = _LOST_WRITE
        yield _finding(_STORE, room.display_path(path), severity, message, _DAMAGED_COPY_STEP)


def _check_reader() -> Iterator[Finding]:
    if library.is_found() and not library.is_used():
        message = f"The compiled core is not used: {library.reason_not_used()}."
        step = "Install Holdfast again on this machine; in a checkout, run ./scripts/core."
        yield _finding(_READER, None, "warning", message, step)


def _check_git_locks(room: StoreRoom, *, fix: bool) -> Iterator[Finding]:
    common = room.repository.common_dir
    if common is None:
        return
    files = [(common, "packed-refs.lock")]
    files += [(top, name) for top, _, names in os.walk(os.path.join(common, "refs")) for name in names]
    for directory, name in sorted(files):
        path = os.path.join(directory, name)
        if name.endswith(".lock") and is_abandoned_lock(common, path, remove=fix):
            yield _leftover(room.display_path(path), "lock", fixed=fix)
        elif _is_old(directory, name, ".lock"):
            message = "A git command locked this and did not unlock it."
            next_step = "Once no git command is running here, the lock file can be removed by hand."
            yield _finding(_GIT, room.display_path(path), "warning", message, next_step)


def _is_old(directory: str, name: str, suffix: str) -> bool:
    """Return whether a file has the suffix and is so old that no live process is writing it."""
    try:
        status = os.lstat(os.path.join(directory, name))
    except FileNotFoundError:
        return False
    return name.endswith(suffix) and status.st_mtime < time.time() - ORPHAN_AGE_SECONDS
