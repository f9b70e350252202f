"""The room of the analyses: one repository and the records of its files."""

from __future__ import annotations

from holdfast.storage.git.repository import Repository


class Analysis:
    """What the analyses of one repository share."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def close(self) -> None:
        """Nothing is held open yet."""
