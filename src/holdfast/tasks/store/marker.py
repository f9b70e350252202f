"""The file that says which workspace a repository's tasks are in, so that every clone finds the same one."""

from __future__ import annotations

import json

from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.identity import is_workspace_id

MARKER = RepoPath.parse(".task/workspace.json")

_MARKER_BYTES = 4096


def read_marker(repository: Repository) -> str | None:
    """Return the id that the repository's marker names, or None where there is none that makes sense."""
    if repository.bare:
        return None
    try:
        named = json.loads(Tree(repository).read_bytes(MARKER, _MARKER_BYTES))
    except (ValueError, HoldfastError):
        return None
    identity = named.get("workspace") if isinstance(named, dict) else None
    return identity if isinstance(identity, str) and is_workspace_id(identity) else None


def write_marker(repository: Repository, identity: str) -> None:
    """Leave the id where every clone finds it."""
    text = json.dumps({"workspace": identity}, indent=2) + "\n"
    tree = Tree(repository)
    tree.make_parents(MARKER)
    tree.write(MARKER, text.encode())
