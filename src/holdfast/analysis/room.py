"""The room of the analyses: one repository and the records of its files."""

from __future__ import annotations

from holdfast.analysis.records.surveyor import Surveyor
from holdfast.analysis.survey import CacheStrategy, Project, Survey
from holdfast.storage.git.repository import Repository


class Analysis:
    """What the analyses of one repository share."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._surveyor = Surveyor(repository)

    def survey(
        self,
        project: Project,
        *,
        strategy: CacheStrategy = "normal",  # noqa: ARG002 - until there is a cache
        workers: int | None = None,  # noqa: ARG002 - until there are processes
    ) -> Survey:
        """Return the records of a project's files, read by as many processes as given or worth it."""
        return self._surveyor.survey(project)

    def close(self) -> None:
        """End what runs for this repository."""
        self._surveyor.close()
