"""Which files belong to a project, and the stat of each.

Contract:
- In a git repository these are the files that git tracks and those that it neither tracks nor ignores;
  submodules and repositories inside this one are left out. Outside of git, and below an ignored folder that
  is named explicitly, they are found by walking.
- No file is opened here, and no link is followed. Bytes of names that are not UTF-8 become surrogates.
- A folder that cannot be read is reported; files that git knows to be in it are reported one by one.
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
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.source_folders import FOREIGN_FOLDERS

_GITLINK = b"160000"
_FILES_PER_CHECK = 1000


class FileStat(NamedTuple):
    """The stat of a file: equal stats mean equal content, unless the file was just written."""

    inode: int
    size: int
    modified: int
    changed: int


class ProjectListing(NamedTuple):
    """The files of a project by their path from the root, sorted, and its folders that could not be read."""

    paths: list[str]
    unreadable: list[str]


def checked_project(repository: Repository, path: str) -> str:
    """Return the path of a folder or file, empty for the root, or raise with what is wrong with it."""
    if repository.bare:
        raise Unavailable("A bare repository has no files to analyse.", hint="Use a clone with a work tree.")
    if os.path.isabs(path):  # agents often know a project by its absolute path
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
    """Return the files below a project's folder, or the one file that it is; with `tracked`, only git's."""
    found = None if git is None else _known_to_git(git, project, tracked)
    if found is None or (project and not found and not tracked):
        return _walked(repository.root, project)
    return ProjectListing(sorted(found), [])


def file_stats(root: str, paths: Iterable[str]) -> dict[str, FileStat | str]:
    """Return the stat of each regular file, or why a path is none; missing files are left out."""
    found: dict[str, FileStat | str] = {}
    folders: dict[str, bool] = {"": True}
    call = current_call()
    for number, path in enumerate(paths):
        if number % _FILES_PER_CHECK == 0:
            call.check()
        try:
            if not _is_reached(root, path.rpartition("/")[0], folders):
                found[path] = "not a regular file"
                continue
            status = os.lstat(f"{root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            found[path] = "unreadable"
            continue
        if stat.S_ISREG(status.st_mode):
            found[path] = FileStat(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        else:
            found[path] = "not a regular file"
    return found


def attributes(
    git: Git, seen: Mapping[str, FileStat | str], paths: Iterable[str], names: Sequence[str]
) -> dict[str, str]:
    """Return which of some attributes is set for each path that has one; the first of several counts.

    Git is run only if a `.gitattributes` mentions one of them, and all of these are regular files.
    """
    files = [path for path in seen if path.rpartition("/")[2] == ".gitattributes"]
    if not any(_mentions(git.repository, path, names) for path in files):
        return {}
    if not all(isinstance(seen[path], FileStat) for path in files):
        return {}
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    listed = git.run("check-attr", "-z", "--stdin", *names, given=given, limit=LIMITS.listed_bytes)
    answers = listed.split(b"\0")
    found: dict[str, str] = {}
    for path, name, value in zip(answers[::3], answers[1::3], answers[2::3], strict=False):
        if value in (b"set", b"true"):
            found.setdefault(os.fsdecode(path), name.decode())
    return found


def _mentions(repository: Repository, path: str, names: Sequence[str]) -> bool:
    try:
        text = Tree(repository).read_bytes(RepoPath.parse(path), LIMITS.configuration_file_bytes)
    except HoldfastError:
        return False
    return any(name.encode() in text for name in names)


def _is_reached(root: str, folder: str, known: dict[str, bool]) -> bool:
    """Return whether no link is on the way to a folder; each folder is checked once."""
    if (answer := known.get(folder)) is None:
        above = _is_reached(root, folder.rpartition("/")[0], known)
        answer = known[folder] = above and not stat.S_ISLNK(os.lstat(f"{root}/{folder}").st_mode)
    return answer


def _is_behind_a_link(root: str, path: str) -> bool:
    try:
        return os.path.islink(os.path.join(root, path)) or not _is_reached(
            root, path.rpartition("/")[0], {"": True}
        )
    except OSError:
        return False


def _known_to_git(git: Git, project: str, tracked: bool) -> set[str]:
    others = () if tracked else ("--others", "--exclude-standard")
    listed = git.run(
        *("ls-files", "-z", "-t", "--stage", "--cached", *others, "--"),
        *((project,) if project else ()),
        limit=LIMITS.listed_bytes,
    )
    found = set()
    for entry in listed.split(b"\0"):
        tag, _, rest = entry.partition(b" ")
        if tag == b"?":
            if not rest.endswith(b"/"):  # a repository of its own
                found.add(os.fsdecode(rest))
        elif not rest.startswith(_GITLINK):
            found.add(os.fsdecode(rest.partition(b"\t")[2]))
    found.discard("")
    return found


def _walked(root: str, project: str) -> ProjectListing:
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
            continue  # a repository of its own
        paths += [prefix + name for name, is_folder in inside if not is_folder]
        waiting += [prefix + name for name, is_folder in inside if is_folder and name not in FOREIGN_FOLDERS]
    return ProjectListing(sorted(paths), sorted(unreadable))
