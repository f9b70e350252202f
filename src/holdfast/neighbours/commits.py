"""Reads commits that name a task."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.storage.git.history.commit_search import CommitSearch
from holdfast.tasks.neighbours import RemarkQuery, TaskRemark


class CommitsNeighbour:
    """Reads commits as remarks."""

    def __init__(self, search: CommitSearch) -> None:
        self._search = search

    def about(self, question: RemarkQuery) -> Iterator[TaskRemark]:
        for commit in self._search.commits_naming(question.task_id, question.limit):
            yield TaskRemark(
                kind="commit", ref=commit.id, text=commit.subject, author=commit.author, at=commit.time
            )
