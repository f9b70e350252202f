"""The paths of files that tasks are about: as typed in a subfolder, and whether the files exist."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from holdfast.storage.files.repo_path import RepoPath, typed_path
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.inputs import parse_list, split_lines_off
from holdfast.tasks.store.records import File
from holdfast.tasks.store.tasks import Tasks

_PATHS = ("path", "file", "connected_file")
_LISTS = "connected_files"


def resolve_typed_paths(room: Tasks, given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments of a command with paths resolved against the current directory, as all commands do."""
    root = room.repository.root
    resolved = {**given, **{name: typed_path(root, given[name]) for name in _PATHS if name in given}}
    for name in ("add", "remove"):
        if isinstance(given.get(name), dict):
            resolved[name] = resolve_typed_paths(room, given[name])
    if isinstance(given.get(_LISTS), list):
        resolved[_LISTS] = [_resolve_typed(root, text) for text in given[_LISTS]]
    if given.get("field") == _LISTS and isinstance(given.get("value"), str):
        resolved["value"] = json.dumps([_resolve_typed(root, text) for text in parse_list(given["value"])])
    return resolved


def _resolve_typed(root: str, text: str) -> str:
    path, lines = split_lines_off(text)
    return typed_path(root, path) + lines


def missing_files(room: Tasks, files: Iterable[File]) -> list[str] | None:
    """Return the files that do not exist in the work tree, or None if all do."""
    if room.repository.bare:
        return None
    tree = Tree(room.repository)
    return [file.path for file in files if not tree.exists(RepoPath.parse(file.path))] or None
