"""The sources of an import: detects the format of a path, reads its files and parses them."""

from __future__ import annotations

from typing import Literal

from holdfast.kernel.errors import Invalid, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.imports.backlog_folder import FOLDERS, read_backlog
from holdfast.tasks.imports.check_list import read_check_list
from holdfast.tasks.imports.task_master import read_task_master
from holdfast.tasks.trackers.foreign import ForeignTask, Problem

SourceFormat = Literal["todo", "backlog", "task-master"]
Format = Literal["auto"] | SourceFormat
_READERS = {"todo": read_check_list, "task-master": read_task_master}


def detect_format(repository: Repository, format: Format, path: RepoPath) -> SourceFormat:  # noqa: A002 - as in the input
    """Return the format of a source; `auto` detects it from the path."""
    if format != "auto":
        return format
    if not Tree(repository).exists(path):
        return "backlog"
    return "task-master" if path.name.lower().endswith(".json") else "todo"


def read(
    repository: Repository, kind: SourceFormat, path: RepoPath
) -> tuple[list[ForeignTask], list[Problem]]:
    """Return the tasks at a path, parents before subtasks, and the problems found."""
    tree = Tree(repository)
    if kind != "backlog":
        return _READERS[kind](_text(tree, path), path.text)
    if tree.exists(path):
        raise Invalid(
            f"'{path.text}' is a file, but Backlog.md keeps tasks in a folder.",
            hint="Give the folder that contains 'tasks', such as 'backlog', or another format.",
        )
    files = [
        file
        for folder in FOLDERS
        for file in tree.files_in(RepoPath.parse(f"{path.text}/{folder}"))
        if file.name.endswith(".md")
    ]
    if not files:
        raise NotFound(
            f"There are no tasks in the folder '{path.text}'.",
            hint="Give the folder that contains 'tasks', such as 'backlog'.",
        )
    if len(files) > LIMITS.import_files:
        raise TooLarge(f"'{path.text}' has more than {LIMITS.import_files} tasks.", hint="Import fewer.")
    unread: list[Problem] = []
    found, problems = read_backlog(_texts(tree, path, files, unread))
    return found, unread + problems


def _texts(tree: Tree, folder: RepoPath, files: list[RepoPath], unread: list[Problem]) -> dict[str, str]:
    found, left = {}, LIMITS.import_folder_bytes
    for file in files:
        name = file.text.removeprefix(f"{folder.text}/")
        try:
            text = found[name] = _text(tree, file)
        except (Invalid, TooLarge, NotFound) as failure:
            unread.append(Problem(name, None, f"{failure.message} The file was skipped."))
            continue
        left -= len(text)
        if left < 0:
            limit = f"{LIMITS.import_folder_bytes:,} characters"
            raise TooLarge(f"The tasks in '{folder.text}' have more than {limit}.", hint="Import fewer.")
    return found


def _text(tree: Tree, path: RepoPath) -> str:
    try:
        return tree.read_bytes(path, LIMITS.import_file_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            f"'{path.text}' is not UTF-8 text: byte {error.start} is invalid.", hint="Save it as UTF-8."
        ) from None
