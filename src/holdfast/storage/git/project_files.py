"""Lists the files of a project, with the stat of each.

Contract:
- In a git repository, these are all files except ignored ones, submodules and nested repositories. Outside of
  git, and below an ignored folder that is named explicitly, they are found by walking the folders.
- No listed file is opened, and no link is followed. Bytes of names that are not UTF-8 become surrogates.
- A folder that cannot be read is reported; the files that git tracks in it are reported one by one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath, closest_path, typed_path
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.blocking_file import WaitsForPipe
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.source_folders import FOREIGN_FOLDERS

_GITLINK = b"160000"
_FILES_PER_CHECK = 1000
"""After so many files a scan checks for cancellation. A judgement: that many stat calls take milliseconds."""


class FileStat(NamedTuple):
    """The stat of a file: equal stats mean equal content, unless the file was just written.

    The size is in bytes, the times of the last modification and change are in nanoseconds.
    """

    inode: int
    size: int
    modified: int
    changed: int


class ProjectListing(NamedTuple):
    """The sorted paths of a project's files, and of its folders that could not be read, from the root."""

    paths: list[str]
    unreadable: list[str]


def checked_project(repository: Repository, path: str) -> str:
    """Return the path of a folder or file from the root, empty for the root; raise if it is invalid."""
    if repository.bare:
        raise Unavailable("A bare repository has no files to analyse.", hint="Use a clone with a work tree.")
    if os.path.isabs(path):  # agents often use the absolute path of a project
        path = typed_path(repository.root, path)
    if path.strip("/") in ("", ".") and not path.startswith("/"):
        return ""
    checked = RepoPath.parse(path).text
    place = os.path.join(repository.root, checked)
    if not os.path.lexists(place) or _is_behind_a_link(repository.root, checked):
        near = closest_path(repository.root, checked)
        hint = (
            f"Did you mean '{near}'?" if near and near != checked else "Name a folder or file from the root."
        )
        raise NotFound(f"There is no folder or file '{checked}'.", hint=hint, path=checked)
    return checked


def list_files(
    repository: Repository, git: Git | None, project: str, *, tracked: bool = False
) -> ProjectListing:
    """Return the files in a project's folder, or the project itself if it is a file.

    With `tracked`, only files that git tracks are returned.
    """
    paths = None if git is None else _list_by_git(git, project, tracked=tracked)
    if paths is None or (project and not paths and not tracked):
        return _list_by_walking(repository.root, project)
    return ProjectListing(sorted(paths), [])


def file_stats(root: str, paths: Iterable[str]) -> dict[str, FileStat | str]:
    """Return the stat of each regular file, or why a path has none; missing files are left out.

    A file behind a link, as its own path or a folder of it, is not a regular file.
    """
    stats: dict[str, FileStat | str] = {}
    is_without_links: dict[str, bool] = {"": True}
    call = current_call()
    for number, path in enumerate(paths):
        if number % _FILES_PER_CHECK == 0:
            call.check()
        try:
            if not _is_without_links(root, path.rpartition("/")[0], is_without_links):
                stats[path] = "not a regular file"
                continue
            status = os.lstat(f"{root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            stats[path] = "unreadable"
            continue
        if stat.S_ISREG(status.st_mode):
            stats[path] = FileStat(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        else:
            stats[path] = "not a regular file"
    return stats


def attributes(
    git: Git, stats: Mapping[str, FileStat | str], paths: Iterable[str], names: Sequence[str]
) -> dict[str, str]:
    """Return the first of the named git attributes that is set, for each path with one of them set.

    `stats` are those of all files of the project. Git runs only if a `.gitattributes` file mentions one of
    the names, and all such files are regular.
    """
    files = [path for path in stats if path.rpartition("/")[2] == ".gitattributes"]
    if not any(_mentions(git.repository, path, names) for path in files):
        return {}
    if not all(isinstance(stats[path], FileStat) for path in files):
        return {}
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        output = git.run("check-attr", "-z", "--stdin", *names, stdin=stdin, limit=LIMITS.listed_bytes)
    except WaitsForPipe:  # git does not list pipes that it does not track
        return {}
    fields = output.split(b"\0")
    first_set: dict[str, str] = {}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if value in (b"set", b"true"):
            first_set.setdefault(os.fsdecode(path), name.decode())
    return first_set


def _mentions(repository: Repository, path: str, names: Sequence[str]) -> bool:
    try:
        text = Tree(repository).read_bytes(RepoPath.parse(path), LIMITS.configuration_file_bytes)
    except HoldfastError:
        return False
    return any(name.encode() in text for name in names)


def _is_without_links(root: str, folder: str, checked: dict[str, bool]) -> bool:
    """Return whether the path of a folder contains no link; each folder is checked once."""
    if folder not in checked:
        parent_is_without_links = _is_without_links(root, folder.rpartition("/")[0], checked)
        is_link = parent_is_without_links and stat.S_ISLNK(os.lstat(f"{root}/{folder}").st_mode)
        checked[folder] = parent_is_without_links and not is_link
    return checked[folder]


def _is_behind_a_link(root: str, path: str) -> bool:
    try:
        return os.path.islink(os.path.join(root, path)) or not _is_without_links(
            root, path.rpartition("/")[0], {"": True}
        )
    except OSError:
        return False


def tracked_files(git: Git) -> set[str]:
    """Return the paths that git tracks in the whole repository, including those of submodules."""
    listed = git.run("ls-files", "-z", "--cached", limit=LIMITS.listed_bytes)
    return set(os.fsdecode(listed).split("\0")) - {""}


def _list_by_git(git: Git, project: str, *, tracked: bool) -> set[str]:
    untracked = () if tracked else ("--others", "--exclude-standard")
    below = (project,) if project else ()
    listed = git.run(
        "ls-files", "-z", "-t", "--stage", "--cached", *untracked, "--", *below, limit=LIMITS.listed_bytes
    )
    paths = set()
    for entry in listed.split(b"\0"):
        tag, _, rest = entry.partition(b" ")
        if tag == b"?":
            if not rest.endswith(b"/"):  # else it is a nested repository
                paths.add(os.fsdecode(rest))
        elif not rest.startswith(_GITLINK):
            paths.add(os.fsdecode(rest.partition(b"\t")[2]))
    paths.discard("")  # from after the last NUL
    return paths


def _list_by_walking(root: str, project: str) -> ProjectListing:
    if project and not os.path.isdir(f"{root}/{project}"):
        return ProjectListing([project], [])
    call = current_call()
    paths: list[str] = []
    unreadable: list[str] = []
    waiting = [project]
    while waiting:
        call.check()
        folder = waiting.pop()
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                inside = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            unreadable.append(folder)
            continue
        if folder != project and any(name == ".git" for name, _ in inside):
            continue  # a nested repository
        paths += [prefix + name for name, is_folder in inside if not is_folder]
        waiting += [prefix + name for name, is_folder in inside if is_folder and name not in FOREIGN_FOLDERS]
    return ProjectListing(sorted(paths), sorted(unreadable))
