"""A survey: the records of a project's files, and what was left out with the reasons.

Contract: `files` is sorted by path, and paths are relative to the root of the repository. Whatever the number
of processes and the state of the cache, the same tree gives the same survey, its cache figures aside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import Field

from holdfast.kernel.models import Output
from holdfast.storage.git.project_files import FileStat, Listed
from holdfast.syntax.record import Record

CacheStrategy = Literal["normal", "force-refresh", "offline"]
Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True)
class Project:
    """Which files of the repository are asked about."""

    path: str = ""
    """A folder or file below the root; empty for all of it."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    """How many folders deep to go: 0 is the project's own folder alone."""
    languages: frozenset[str] = frozenset()
    """Only files in these languages; empty for all."""
    tracked: bool = False
    """Only files that git tracks."""


@dataclass(frozen=True)
class Skipped:
    """A file that was discovered and not analysed."""

    path: str
    reason: str
    """One of few words, which are counted: `generated`, `minified`, `vendored`, `binary`, `too large`, …"""


class Sight(NamedTuple):
    """How the files of a project looked at some moment, whatever is then made of them."""

    looked_at: int
    """In nanoseconds."""
    listed: Listed
    seen: Mapping[str, FileStat | str]
    said: Mapping[str, str]
    """Why attributes of git leave files out."""


@dataclass(frozen=True)
class FileSurvey(Generic[Made]):
    """What is known of the files of a project: their records, or another product."""

    files: Mapping[str, Made]
    sizes: Mapping[str, int]
    """The bytes of each file analysed."""
    skipped: tuple[Skipped, ...] = ()
    other_files: tuple[str, ...] = field(default=())
    """Files in no language of ours, such as templates, settings and documents."""
    hits: int = 0
    misses: int = 0
    version: str | None = field(default=None, compare=False)
    """Equal for surveys of equal files, those in no language included; None where that cannot be told yet."""
    others_version: str | None = field(default=None, compare=False)
    """The same of those in no language alone."""
    sight: Sight | None = field(default=None, compare=False, repr=False)

    @property
    def others(self) -> FileSurvey[Made]:
        """Return a survey of the files in no language alone."""
        return FileSurvey({}, {}, other_files=self.other_files, version=self.others_version)

    @property
    def counts(self) -> FileCounts:
        """Return the denominators that every result carries."""
        reasons = Counter(item.reason for item in self.skipped)
        return FileCounts(
            files_discovered=len(self.files) + len(self.skipped),
            files_analyzed=len(self.files),
            files_skipped=dict(sorted(reasons.items())),
        )


Survey = FileSurvey[Record]
"""The records of a project."""


class FileCounts(Output):
    """How many files a result speaks of."""

    files_discovered: int = Field(description="Source files that the project has.")
    files_analyzed: int = Field(description="Source files that were analysed.")
    files_skipped: dict[str, int] = Field(description="How many were not, by the reason.")

    def of(self, path: str, written: str | None = None) -> dict[str, Any]:
        """Return what a result says first: these, the project's path, and how it is written."""
        return {**self.model_dump(), "project_path": path or ".", **({"format": written} if written else {})}
