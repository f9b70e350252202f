"""Which files belong to a project, as git sees it, and what a look at each of them tells.

Contract:
- In a git repository these are the files that git tracks and those that it neither tracks nor ignores; what
  is committed as a link to another repository, and repositories inside this one, are left out. Outside of
  git, and below a folder that git ignores but somebody names, they are found by walking.
- Nothing is opened here, and no link is followed. Names come as the system has them, bytes that are not UTF-8
  as surrogates.
- A folder that cannot be read is told; what git knows to be in it is told file by file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, NotFound, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath, Tree, closest_path, typed_path
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.source_folders import FOREIGN_FOLDERS

_GITLINK = b"160000"
_BETWEEN_CHECKS = 1000


class Seen(NamedTuple):
    """What a look at a file tells: equal ones mean equal content, unless the file is very young."""

    inode: int
    size: int
    modified: int
    changed: int


class Listed(NamedTuple):
    """The files of a project from the root, sorted, and the folders of it that could not be read."""

    paths: list[str]
    unreadable: list[str]


def checked_project(repository: Repository, path: str) -> str:
    """Return the path of a folder or file, empty for the root, or say what is wrong with it."""
    if repository.bare:
        raise Unavailable("A bare repository has no files to analyse.", hint="Use a clone with a work tree.")
    if os.path.isabs(path):  # agents often know a project by its place on the machine
        path = typed_path(repository.root, path)
    if path.strip("/") in ("", ".") and not path.startswith("/"):
        return ""
    asked = RepoPath.parse(path).text
    place = os.path.join(repository.root, asked)
    if not os.path.lexists(place) or _is_behind_a_link(repository.root, asked):
        near = closest_path(repository.root, asked)
        hint = f"Did you mean '{near}'?" if near and near != asked else "Name a folder or file from the root."
        raise NotFound(f"There is no folder or file '{asked}'.", hint=hint, path=asked)
    return asked


def list_files(repository: Repository, git: Git | None, project: str, *, tracked: bool = False) -> Listed:
    """Return the files below a project's folder, or the one file that the project is; or those git tracks."""
    found = None if git is None else _known_to_git(git, project, tracked)
    if found is None or (project and not found and not tracked):
        return _walked(repository.root, project)
    return Listed(sorted(found), [])


def look(root: str, paths: Iterable[str]) -> dict[str, Seen | str]:
    """Return what each path leads to: a regular file, or why it is none to read; what is gone is left out."""
    found: dict[str, Seen | str] = {}
    folders: dict[str, bool] = {"": True}
    call = current_call()
    for number, path in enumerate(paths):
        if number % _BETWEEN_CHECKS == 0:
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
            found[path] = Seen(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        else:
            found[path] = "not a regular file"
    return found


def attributes(
    git: Git, seen: Mapping[str, Seen | str], paths: Iterable[str], names: Sequence[str]
) -> dict[str, str]:
    """Return which of some attributes is set for a path, where one is; the first of several counts.

    Git is asked only where a file of attributes speaks of one of them, and where each such file is a file.
    """
    files = [path for path in seen if path.rpartition("/")[2] == ".gitattributes"]
    if not any(_speaks_of(git.repository, path, names) for path in files):
        return {}
    if not all(isinstance(seen[path], Seen) for path in files):
        return {}
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    listed = git.run("check-attr", "-z", "--stdin", *names, given=given, limit=LIMITS.listed_bytes)
    answers = listed.split(b"\0")
    found: dict[str, str] = {}
    for path, name, value in zip(answers[::3], answers[1::3], answers[2::3], strict=False):
        if value in (b"set", b"true"):
            found.setdefault(os.fsdecode(path), name.decode())
    return found


def _speaks_of(repository: Repository, path: str, names: Sequence[str]) -> bool:
    try:
        text = Tree(repository).read_bytes(RepoPath.parse(path), LIMITS.configuration_file_bytes)
    except HoldfastError:
        return False
    return any(name.encode() in text for name in names)


def _is_reached(root: str, folder: str, known: dict[str, bool]) -> bool:
    """Tell whether no link is on the way to a folder; each folder is looked at once."""
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
            if not rest.endswith(b"/"):  # or it is a repository of its own
                found.add(os.fsdecode(rest))
        elif not rest.startswith(_GITLINK):
            found.add(os.fsdecode(rest.partition(b"\t")[2]))
    found.discard("")
    return found


def _walked(root: str, project: str) -> Listed:
    if project and not os.path.isdir(f"{root}/{project}"):
        return Listed([project], [])
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
    return Listed(sorted(paths), sorted(unreadable))
