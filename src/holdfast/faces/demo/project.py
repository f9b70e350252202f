"""Creates the sample project of `holdfast demo`: a repository with weeks of history, notes, tasks and issues.

`tidepool.yaml` lists the files, the commits, and the operations that fill the stores.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Conflict
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.file_set import atomic_folder
from holdfast.storage.files.foreign_document import parse_yaml
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.commits.commit import NewCommit, Signature
from holdfast.storage.git.new_repository import append_commits, new_repository
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

_DAYS_BETWEEN_COMMITS = 5
"""A judgement: the history covers some weeks, so that charts and ages show something."""
_SIDECAR = ".comments"


def make_project(folder: str) -> None:
    """Create the sample project in a new or empty folder, completely or not at all."""
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise Conflict(
            f'"{folder}" already exists and is not an empty folder.',
            hint=f"Name another folder, or open the existing one: `holdfast open --root {folder}`.",
        )
    with atomic_folder(folder) as temporary:
        Demonstration(temporary).make()


def read_plan() -> dict[str, Any]:
    """Return the content of `tidepool.yaml`."""
    text = (resources.files("holdfast.faces.demo") / "tidepool.yaml").read_text(encoding="utf-8")
    plan: dict[str, Any] = parse_yaml(text)
    return plan


class Demonstration:
    """Executes the plan in `tidepool.yaml`."""

    def __init__(self, root: str) -> None:
        self._plan = read_plan()
        self._repository = new_repository(root)
        self._tree = Tree(self._repository)
        self._now = datetime.now(UTC)
        self._ids: dict[str, str] = {}
        """The ids of things that steps created, by the names that the plan gives them."""
        self._actions: dict[str, Callable[..., None]] = {"edit": self._edit, "commit": self._commit}

    def make(self) -> None:
        append_commits(self._repository, self._history())
        for path, text in self._plan["files"].items():
            self._write(RepoPath.parse(path), text.encode())
        workspace = Workspace(self._repository)
        with closing(workspace), closing(Dispatcher(full_registry(), workspace.room)) as dispatcher:
            for actor, action, arguments, *name in self._plan["steps"]:
                resolved = self._resolve(arguments)
                if action in self._actions:
                    self._actions[action](actor, **resolved)
                    continue
                result = run_operation(dispatcher, actor, action, resolved)
                if name:
                    self._ids[name[0]] = str(getattr(getattr(result, "task", result), "id", ""))

    def _history(self) -> list[NewCommit]:
        commits = []
        for age, (author, path, line_count, message) in enumerate(reversed(self._plan["history"])):
            lines = self._plan["files"][path].splitlines(keepends=True)
            time = self._now - timedelta(days=_DAYS_BETWEEN_COMMITS * age + 1, hours=age)
            files = {RepoPath.parse(path): "".join(lines[:line_count]).rstrip().encode() + b"\n"}
            commits.append(_new_commit(author, time, message, files))
        return commits[::-1]

    def _commit(self, author: str, message: str, folders: list[str]) -> None:
        """Commit the files of the plan with their comments, and all files in some folders."""
        plan_paths = [RepoPath.parse(path) for path in self._plan["files"]]
        paths = [*plan_paths, *(path.with_suffix_added(_SIDECAR) for path in plan_paths)]
        paths += [path for folder in folders for path in self._tree.files_in(RepoPath.parse(folder))]
        files = {path: self._read(path) for path in paths if self._tree.exists(path)}
        append_commits(self._repository, [_new_commit(author, self._now, message, files)])

    def _edit(self, _author: str, path: str, old: str, new: str) -> None:
        target = RepoPath.parse(path)
        self._write(target, self._read(target).replace(old.encode(), new.encode()))

    def _read(self, path: RepoPath) -> bytes:
        return self._tree.read_bytes(path, LIMITS.diff_file_bytes)

    def _write(self, path: RepoPath, content: bytes) -> None:
        self._tree.make_parents(path)
        self._tree.write(path, content)

    def _resolve(self, value: Any) -> Any:
        """Return arguments with `$name` replaced by the id that it names, and `in N days` by a date."""
        match value:
            case dict():
                return {key: self._resolve(item) for key, item in value.items()}
            case list():
                return [self._resolve(item) for item in value]
            case str() if value.startswith("$"):
                return self._ids[value[1:]]
            case str() if value.startswith("in ") and value.endswith(" days"):
                return (self._now + timedelta(days=int(value.split()[1]))).date().isoformat()
        return value


def _new_commit(author: str, time: datetime, message: str, files: dict[RepoPath, bytes]) -> NewCommit:
    signature = Signature(author, f"{author.lower()}@example.org", int(time.timestamp()))
    return NewCommit(message, signature, signature, files)


def run_operation(dispatcher: Dispatcher, actor: str, name: str, arguments: dict[str, Any]) -> Any:
    """Run an operation as `actor` and return its result."""
    operation = dispatcher.registry.operation(name)
    call = dispatcher.new_call(operation, actor=actor)
    result = dispatcher.run(operation, arguments, call)
    call.settle(answered=True)
    return result
