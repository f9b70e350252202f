"""Creates the sample project: a repository with weeks of history, then operations that fill its rooms."""

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
from holdfast.storage.git.commits.commit import Signature
from holdfast.storage.git.new_repository import CommitWithFiles, append_commits, new_repository
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

_DAYS_BETWEEN_COMMITS = 5
_SIDECAR = ".comments"


def make_project(folder: str) -> None:
    """Create the sample project in a new or empty folder; it appears there complete or not at all."""
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise Conflict(
            f'"{folder}" already exists and is not an empty folder.',
            hint=f"Name another folder, or open the existing one: `holdfast open --root {folder}`.",
        )
    with atomic_folder(folder) as temporary:
        Demonstration(temporary).make()


class Demonstration:
    """Executes the plan of the sample project."""

    def __init__(self, root: str) -> None:
        text = (resources.files("holdfast.faces.demo") / "tidepool.yaml").read_text(encoding="utf-8")
        self._plan: dict[str, Any] = parse_yaml(text)
        self._repository = new_repository(root)
        self._tree = Tree(self._repository)
        self._now = datetime.now(UTC)
        self._names: dict[str, str] = {}
        self._actions: dict[str, Callable[..., None]] = {"edit": self._edit, "commit": self._commit}

    def make(self) -> None:
        """Create the repository and execute every step."""
        append_commits(self._repository, self._history())
        for path, text in self._plan["files"].items():
            self._write(RepoPath.parse(path), text.encode())
        workspace = Workspace(self._repository)
        with closing(workspace), closing(Dispatcher(full_registry(), workspace.room)) as dispatcher:
            for actor, action, arguments, *name in self._plan["steps"]:
                resolved = self._resolved(arguments)
                if action in self._actions:
                    self._actions[action](actor, **resolved)
                else:
                    self._names |= dict.fromkeys(name, _run(dispatcher, actor, action, resolved))

    def _history(self) -> list[CommitWithFiles]:
        commits = []
        for age, (who, path, last, message) in enumerate(reversed(self._plan["history"])):
            lines = self._plan["files"][path].splitlines(keepends=True)
            when = self._now - timedelta(days=_DAYS_BETWEEN_COMMITS * age + 1, hours=age)
            files = {RepoPath.parse(path): "".join(lines[:last]).rstrip().encode() + b"\n"}
            commits.append(CommitWithFiles(_signature(who, when), message, files))
        return commits[::-1]

    def _commit(self, who: str, message: str, folders: list[str]) -> None:
        """Commit the files with their notes, and the files in new folders."""
        own = [RepoPath.parse(path) for path in self._plan["files"]]
        paths = [*own, *(path.with_suffix_added(_SIDECAR) for path in own)]
        paths += [path for folder in folders for path in self._tree.files_in(RepoPath.parse(folder))]
        files = {path: self._read(path) for path in paths if self._tree.exists(path)}
        append_commits(self._repository, [CommitWithFiles(_signature(who, self._now), message, files)])

    def _edit(self, _who: str, path: str, old: str, new: str) -> None:
        target = RepoPath.parse(path)
        self._write(target, self._read(target).replace(old.encode(), new.encode()))

    def _read(self, path: RepoPath) -> bytes:
        return self._tree.read_bytes(path, LIMITS.diff_file_bytes)

    def _write(self, path: RepoPath, content: bytes) -> None:
        self._tree.make_parents(path)
        self._tree.write(path, content)

    def _resolved(self, value: Any) -> Any:
        """Return arguments with `$name` replaced by the id it stands for, and `in N days` by a date."""
        match value:
            case dict():
                return {key: self._resolved(item) for key, item in value.items()}
            case list():
                return [self._resolved(item) for item in value]
            case str() if value.startswith("$"):
                return self._names[value[1:]]
            case str() if value.startswith("in ") and value.endswith(" days"):
                return (self._now + timedelta(days=int(value.split()[1]))).date().isoformat()
        return value


def _signature(who: str, when: datetime) -> Signature:
    return Signature(who, f"{who.lower()}@example.org", int(when.timestamp()))


def _run(dispatcher: Dispatcher, actor: str, name: str, arguments: dict[str, Any]) -> str:
    """Run an operation as `actor` and return the id of what it created."""
    operation = dispatcher.registry.operation(name)
    call = dispatcher.new_call(operation, actor=actor)
    result = dispatcher.run(operation, arguments, call)
    call.settle(answered=True)
    return str(getattr(getattr(result, "task", result), "id", ""))
