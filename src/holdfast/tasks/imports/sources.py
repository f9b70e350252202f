"""The sources of an import: detects the format of a file or folder, reads it, and calls the parser."""

from __future__ import annotations

from typing import Literal

from holdfast.kernel.errors import Invalid, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.imports.backlog_folder import FOLDERS, read_backlog
from holdfast.tasks.imports.check_list import read_check_list
from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.imports.task_master import read_task_master
from holdfast.tasks.trackers.foreign import ForeignTask

SourceFormat = Literal["todo", "backlog", "task-master"]
Format = Literal["auto"] | SourceFormat
_FILE_READERS = {"todo": read_check_list, "task-master": read_task_master}


def detect_format(repository: Repository, format: Format, path: RepoPath) -> SourceFormat:  # noqa: A002 - as in the input
    """Return the format of a source, detected from its path if `auto` is requested."""
    if format != "auto":
        return format
    if not Tree(repository).exists(path):
        return "backlog"
    return "task-master" if path.name.lower().endswith(".json") else "todo"


def read_source(
    repository: Repository, kind: SourceFormat, path: RepoPath
) -> tuple[list[ForeignTask], list[Problem]]:
    """Return the tasks of a source, parents before subtasks, and what could not be imported."""
    tree = Tree(repository)
    if kind != "backlog":
        return _FILE_READERS[kind](_read_text(tree, path), path.text)
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
    found, problems = read_backlog(_read_texts(tree, path, files, unread))
    return found, unread + problems


def _read_texts(tree: Tree, folder: RepoPath, files: list[RepoPath], unread: list[Problem]) -> dict[str, str]:
    """Return the texts of files by their path in the folder; append files that cannot be read to `unread`."""
    found, remaining = {}, LIMITS.import_folder_bytes
    for file in files:
        name = file.text.removeprefix(f"{folder.text}/")
        try:
            text = found[name] = _read_text(tree, file)
        except (Invalid, TooLarge, NotFound) as failure:
            unread.append(Problem(name, None, f"{failure.message} The file was skipped."))
            continue
        remaining -= len(text)
        if remaining < 0:
            limit = f"{LIMITS.import_folder_bytes:,} characters"
            raise TooLarge(f"The tasks in '{folder.text}' have more than {limit}.", hint="Import fewer.")
    return found


def _read_text(tree: Tree, path: RepoPath) -> str:
    try:
        return tree.read_bytes(path, LIMITS.import_file_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            f"'{path.text}' is not UTF-8 text: byte {error.start} is invalid.", hint="Save it as UTF-8."
        ) from None
