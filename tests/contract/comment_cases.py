"""Calls of the operations on comments, the store they run on, and why their plain text is safe."""

from __future__ import annotations

from pathlib import Path

from tests.contract.case import Case

COMMENT_CASES: list[Case] = []

COMMENT_PLAIN_TEXT: dict[str, str] = {}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""


def fill_comments(path: Path) -> None:
    """Give a repository the same comments every time."""
    del path
