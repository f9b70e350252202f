"""Calls of the operations on tasks, the store they run on, and why their plain text is safe."""

from __future__ import annotations

from pathlib import Path

from tests.contract.case import Case

TASK_CASES: list[Case] = []

TASK_PLAIN_TEXT: dict[str, str] = {}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""


def fill_tasks(path: Path) -> None:
    """Give a repository the same tasks every time."""
    del path
