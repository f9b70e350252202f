"""What analyses run on: one scan of a project, and what several of them would otherwise compute again."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import CacheStrategy, Project, Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import Unavailable

NOT_OFFLINE = "offline nothing but the cache is read"


@dataclass(frozen=True)
class RunOptions:
    """Which files several analyses look at, and how they run."""

    project: Project
    base: BaseCommit | None = None
    """Findings that this commit has too are left out."""
    strategy: CacheStrategy = "normal"
    parallel: int | None = None
    """How many processes read files and how many analyses run at once; by default one for each core."""
    concurrent: bool = True
    """False to run one analysis after the other: threads share an interpreter, and contention for it costs
    time."""
    period_days: int = 30
    """The days of history that count as recent."""


class Scope:
    """A scan of a project, and what is derived from it for several analyses."""

    def __init__(self, room: Analysis, scan: Scan, options: RunOptions) -> None:
        self.room, self.scan, self.options = room, scan, options
        self.project, self.base = options.project, options.base
        self._lock = threading.Lock()
        self._repository: Scan | None = None

    @classmethod
    def of(cls, room: Analysis, options: RunOptions) -> Scope:
        """Scan a project."""
        return cls(room, _scan(room, options), options)

    @property
    def repository(self) -> Scan:
        """The scan of the whole repository: a use outside of the project is a use."""
        with self._lock:
            if self._repository is None:
                whole = Project(tracked=self.project.tracked)
                is_whole = self.project == whole
                self._repository = (
                    self.scan if is_whole else _scan(self.room, replace(self.options, project=whole))
                )
            return self._repository

    def require_git(self) -> None:
        """Raise unless git may be run."""
        if self.options.strategy == "offline":
            raise Unavailable("The history is read with git, which does not run offline.")


def _scan(room: Analysis, options: RunOptions) -> Scan:
    return room.scan(options.project, strategy=options.strategy, workers=options.parallel)
