"""What a focus tells of other stores, read without Holdfast: plain files and bare connections of `sqlite3`.

Each look reads the two files of rules; of the task's file the sidecar with its comments and where they were
found; the messages that wait; the refs of the logs, and from the index the issues that link to the file; and
which commit is the last. What a store does not have is not read: of a sidecar that is not there, only that.
"""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from holdfast.comments.anchors.cache import CACHE_NAME
from holdfast.inbox.schema import DATABASE_NAME as INBOX
from holdfast.milestones.index.schema import INDEX_NAME
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import POINTER_SUFFIX

_RULES = (".task/rules/standard_rules.md", ".task/rules/workspace_rules.md")
_PLACES = "SELECT source, standings FROM place WHERE work_tree = ? AND path = ?"
_MESSAGES = "SELECT * FROM stored_message WHERE delivered_at IS NULL AND file = ? ORDER BY sequence"
_TIPS = "SELECT ref, id FROM tip"
_ISSUES = (
    "SELECT entity.id, kind, title, description, status, author, updated FROM link JOIN entity"
    " ON entity.id = link.entity WHERE link.target = ? AND entity.status = 'open' ORDER BY entity.id LIMIT ?"
)
_MAX_BYTES = 1 << 16
"""Enough for every file here; a larger buffer costs more to provide than the reading does."""


class Surroundings:
    """The other stores of a repository, as far as they are there."""

    def __init__(self, repository: Repository) -> None:
        self._root = repository.root
        self._git = str(repository.git_dir)
        self._refs = os.path.join(str(repository.common_dir), "refs", "holdfast", "log")
        store = Path(repository.store_directory)
        self._inbox = _opened(store / INBOX)
        self._places = _opened(_pointed(store, CACHE_NAME))
        self._index = _opened(_pointed(store, INDEX_NAME))

    def read(self, path: str, limit: int = 3) -> list[Any]:
        """Return what the stores hold about a file."""
        found: list[Any] = [_content(os.path.join(self._root, name)) for name in _RULES]
        found += self._comments(path)
        if self._inbox is not None:
            found += self._inbox.execute(_MESSAGES, (path,)).fetchall()
        if self._index is not None:
            tips = {name: _content(os.path.join(self._refs, name)) for name in os.listdir(self._refs)}
            found += [tips, self._index.execute(_TIPS).fetchall()]
            found += self._index.execute(_ISSUES, (path, limit)).fetchall()
        head = _content(os.path.join(self._git, "HEAD")) or b""
        found.append(_content(os.path.join(self._git, os.fsdecode(head.removeprefix(b"ref: ").strip()))))
        return found

    def _comments(self, path: str) -> list[Any]:
        content = _content(os.path.join(self._root, f"{path}.comments"))
        if content is None or self._places is None:
            return []
        status = os.stat(os.path.join(self._root, path))
        row = self._places.execute(_PLACES, (self._root, path)).fetchone()
        return [json.loads(content), status, row and json.loads(row[1])]

    def close(self) -> None:
        """Close what was opened."""
        for connection in (self._inbox, self._places, self._index):
            if connection is not None:
                connection.close()


def _pointed(store: Path, name: str) -> Path | None:
    pointer = store / f"{name}{POINTER_SUFFIX}"
    return store / pointer.read_text().strip() if pointer.exists() else None


def _opened(path: Path | None) -> sqlite3.Connection | None:
    return sqlite3.connect(path, isolation_level=None) if path is not None and path.exists() else None


def _content(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return os.read(descriptor, _MAX_BYTES)
    finally:
        os.close(descriptor)
