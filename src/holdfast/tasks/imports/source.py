"""From a path in the work tree to the tasks that another program keeps there."""

from __future__ import annotations

from typing import Literal

from holdfast.kernel.errors import Invalid, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.imports.backlog_folder import FOLDERS, read_backlog
from holdfast.tasks.imports.check_list import read_check_list
from holdfast.tasks.imports.models import Format
from holdfast.tasks.imports.task_master import read_task_master
from holdfast.tasks.trackers.foreign import ForeignTask, Problem

Known = Literal["todo", "backlog", "task-master"]
_READERS = {"todo": read_check_list, "task-master": read_task_master}


def recognised(repository: Repository, format: Format, path: RepoPath) -> Known:  # noqa: A002 - as in the input
    """Return the format that is meant; `auto` goes by what the path names."""
    if format != "auto":
        return format
    if not Tree(repository).exists(path):
        return "backlog"
    return "task-master" if path.name.lower().endswith(".json") else "todo"


def read(repository: Repository, format: Known, path: RepoPath) -> tuple[list[ForeignTask], list[Problem]]:  # noqa: A002
    """Return the tasks at a path, parents before their parts, and what is odd about them."""
    tree = Tree(repository)
    if format != "backlog":
        return _READERS[format](_text(tree, path), path.text)
    if tree.exists(path):
        raise Invalid(
            f"'{path.text}' is a file, and Backlog.md keeps tasks in a folder.",
            hint="Name the folder that holds 'tasks', such as 'backlog', or another format.",
        )
    files = {
        file.text.removeprefix(f"{path.text}/"): _text(tree, file)
        for folder in FOLDERS
        for file in tree.files_in(RepoPath.parse(f"{path.text}/{folder}"))
        if file.name.endswith(".md")
    }
    if not files:
        raise NotFound(
            f"There is no folder of tasks in '{path.text}'.",
            hint="Name the folder that holds 'tasks', such as 'backlog'.",
        )
    if len(files) > LIMITS.import_files:
        raise TooLarge(f"'{path.text}' holds more than {LIMITS.import_files} tasks.", hint="Import fewer.")
    return read_backlog(files)


def _text(tree: Tree, path: RepoPath) -> str:
    try:
        return tree.read_bytes(path, LIMITS.import_file_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            f"'{path.text}' is not UTF-8 text: byte {error.start} is odd.", hint="Save it as UTF-8."
        ) from None
