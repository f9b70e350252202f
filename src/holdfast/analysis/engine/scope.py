"""The scope of a run: the options, and one scan of a project that all analyses of the run share."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import CacheStrategy, Project, Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import Unavailable

NOT_OFFLINE = "only the cache is read offline"
"""Why something is missing in an offline analysis."""


@dataclass(frozen=True)
class RunOptions:
    """Which files to analyse, and how to run the analyses."""

    project: Project
    base: BaseCommit | None = None
    """The commit to compare with: its findings are left out."""
    strategy: CacheStrategy = "normal"
    parallel: int | None = None
    """How many processes read files and how many analyses run at once; by default one for each core."""
    concurrent: bool = True
    """Whether analyses run in threads; running one after the other takes longer, but less processor time."""
    period_days: float = 30
    """The days of history that count as recent."""


class AnalysisScope:
    """A scan of a project, and on demand a scan of its whole repository."""

    def __init__(self, room: Analysis, scan: Scan, options: RunOptions) -> None:
        self.room, self.scan, self.options = room, scan, options
        self.project, self.base = options.project, options.base
        self._lock = threading.Lock()
        self._repository: Scan | None = None

    @classmethod
    def of(cls, room: Analysis, options: RunOptions) -> AnalysisScope:
        return cls(room, _scan(room, options), options)

    @property
    def repository(self) -> Scan:
        """The scan of the whole repository, for analyses that must also find uses outside the project."""
        with self._lock:  # several analyses may need it at once
            if self._repository is None:
                whole = Project(only_tracked=self.project.only_tracked)
                options = replace(self.options, project=whole)
                self._repository = self.scan if self.project == whole else _scan(self.room, options)
            return self._repository

    def require_git(self) -> None:
        """Raise if git may not be run."""
        if self.options.strategy == "offline":
            raise Unavailable("The history is read with git, which is not run offline.")


def _scan(room: Analysis, options: RunOptions) -> Scan:
    return room.scan(options.project, strategy=options.strategy, workers=options.parallel)
