"""Claims and rules for hooks, read without loading the task store.

Contract: nothing is written. Where there is no store here, or it is of another version, no claim is known.
"""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

from holdfast.storage.sql.quick import NeedsFullProgram, QuickStore
from holdfast.tasks.store.schema import APPLICATION_ID, DATABASE_NAME, MIGRATIONS

_RULE_FILES = ("workspace_rules.md", "standard_rules.md")
"""Those that `texts/rules` reads, the more important first."""
_MAX_RULE_BYTES = 64 * 1024
"""A judgement: a session begins with a dozen rules at most, and these are from the beginning."""
_CLAIMS = (
    "SELECT n, title, claim_agent, claim_since, claim_expires FROM task"
    " WHERE claim_agent IS NOT NULL AND claim_expires > ?"
)
_CLAIMS_ON = f"{_CLAIMS} AND uid IN (SELECT task FROM file WHERE path = ?) ORDER BY n LIMIT ?"
_CLAIMED_FILES = (
    "SELECT DISTINCT path FROM file JOIN task ON task.uid = file.task"
    " WHERE claim_agent IS NOT NULL AND claim_expires > ? ORDER BY path LIMIT ?"
)


class LiveClaim(NamedTuple):
    """A claim in force."""

    number: int
    title: str
    agent: str
    since: float
    expires: float

    @property
    def task(self) -> str:
        return f"TP-{self.number}"


def live_claims(directory: str, limit: int, *, file: str | None = None) -> list[LiveClaim]:
    """Return the claims in force, the newest first; given a file, those on tasks that name it."""
    if file is None:
        return [
            LiveClaim(*row) for row in _rows(directory, f"{_CLAIMS} ORDER BY claim_since DESC LIMIT ?", limit)
        ]
    return [LiveClaim(*row) for row in _rows(directory, _CLAIMS_ON, file, limit)]


def claimed_files(directory: str, limit: int) -> list[str]:
    """Return files that claimed tasks name."""
    return [row[0] for row in _rows(directory, _CLAIMED_FILES, limit)]


def rules(root: str, limit: int) -> list[str]:
    """Return the first rules of the workspace, as they are written."""
    found: list[str] = []
    for name in _RULE_FILES:
        try:
            descriptor = os.open(
                os.path.join(root, ".task", "rules", name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            )
        except OSError:
            continue
        try:
            text = os.read(descriptor, _MAX_RULE_BYTES).decode("utf-8", "replace")
        finally:
            os.close(descriptor)
        items = (line.strip() for line in text.splitlines())
        found += [item[2:] for item in items if item[:2] in ("- ", "* ", "+ ")]
    return found[:limit]


def _rows(directory: str, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    store = QuickStore(os.path.join(directory, DATABASE_NAME), APPLICATION_ID, len(MIGRATIONS))
    try:
        return store.rows(query, (time.time(), *parameters))
    except NeedsFullProgram:
        return []
