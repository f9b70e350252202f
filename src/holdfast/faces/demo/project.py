"""The sample project: a repository with weeks of history, and steps that are operations like anybody's."""

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
from holdfast.storage.files.file_set import appearing
from holdfast.storage.files.foreign_document import yaml_of
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.commits.commit import Signature
from holdfast.storage.git.new_repository import CommitWithFiles, append_commits, new_repository
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

_DAYS_BETWEEN_COMMITS = 5
_SIDECAR = ".comments"


def make_project(folder: str) -> None:
    """Make the sample project in a folder that is new or empty; it appears there whole or not at all."""
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise Conflict(
            f'"{folder}" is there already, and is not an empty folder.',
            hint=f"Name another folder, or look at what is there: `holdfast open --root {folder}`.",
        )
    with appearing(folder) as temporary:
        Demonstration(temporary).make()


class Demonstration:
    """One sample project, from an empty folder to the last step of its plan."""

    def __init__(self, root: str) -> None:
        text = (resources.files("holdfast.faces.demo") / "tidepool.yaml").read_text(encoding="utf-8")
        self._plan: dict[str, Any] = yaml_of(text)
        self._repository = new_repository(root)
        self._tree = Tree(self._repository)
        self._now = datetime.now(UTC)
        self._names: dict[str, str] = {}
        self._by_hand: dict[str, Callable[..., None]] = {"edit": self._edit, "commit": self._commit}

    def make(self) -> None:
        """Make it all."""
        append_commits(self._repository, self._history())
        for path, text in self._plan["files"].items():
            self._write(RepoPath.parse(path), text.encode())
        workspace = Workspace(self._repository)
        with closing(workspace), closing(Dispatcher(full_registry(), workspace.room)) as dispatcher:
            for who, what, arguments, *name in self._plan["steps"]:
                filled = self._filled(arguments)
                if what in self._by_hand:
                    self._by_hand[what](who, **filled)
                else:
                    self._names |= dict.fromkeys(name, _made(dispatcher, who, what, filled))

    def _history(self) -> list[CommitWithFiles]:
        commits = []
        for age, (who, path, last, message) in enumerate(reversed(self._plan["history"])):
            lines = self._plan["files"][path].splitlines(keepends=True)
            when = self._now - timedelta(days=_DAYS_BETWEEN_COMMITS * age + 1, hours=age)
            files = {RepoPath.parse(path): "".join(lines[:last]).rstrip().encode() + b"\n"}
            commits.append(CommitWithFiles(_signature(who, when), message, files))
        return commits[::-1]

    def _commit(self, who: str, message: str, folders: list[str]) -> None:
        """Commit everything: the files with their notes, and what came into new folders."""
        own = [RepoPath.parse(path) for path in self._plan["files"]]
        paths = [*own, *(path.with_suffix_added(_SIDECAR) for path in own)]
        paths += [path for folder in folders for path in self._tree.files_in(RepoPath.parse(folder))]
        files = {path: self._read(path) for path in paths if self._tree.exists(path)}
        append_commits(self._repository, [CommitWithFiles(_signature(who, self._now), message, files)])

    def _edit(self, _who: str, path: str, old: str, new: str) -> None:
        place = RepoPath.parse(path)
        self._write(place, self._read(place).replace(old.encode(), new.encode()))

    def _read(self, path: RepoPath) -> bytes:
        return self._tree.read_bytes(path, LIMITS.diff_file_bytes)

    def _write(self, path: RepoPath, content: bytes) -> None:
        self._tree.make_parents(path)
        self._tree.write(path, content)

    def _filled(self, value: Any) -> Any:
        """Return arguments with ids for their names, and days for how far off they are."""
        match value:
            case dict():
                return {key: self._filled(item) for key, item in value.items()}
            case list():
                return [self._filled(item) for item in value]
            case str() if value.startswith("$"):
                return self._names[value[1:]]
            case str() if value.startswith("in ") and value.endswith(" days"):
                return (self._now + timedelta(days=int(value.split()[1]))).date().isoformat()
        return value


def _signature(who: str, when: datetime) -> Signature:
    return Signature(who, f"{who.lower()}@example.org", int(when.timestamp()))


def _made(dispatcher: Dispatcher, who: str, what: str, arguments: dict[str, Any]) -> str:
    """Run an operation for somebody, and return the id of what it made."""
    operation = dispatcher.registry.operation(what)
    call = dispatcher.new_call(operation, actor=who)
    result = dispatcher.run(operation, arguments, call)
    call.settle(answered=True)
    return str(getattr(getattr(result, "task", result), "id", ""))
