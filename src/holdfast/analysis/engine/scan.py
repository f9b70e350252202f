"""A scan: the records of a project's files, and the files that were skipped, with the reasons.

Contract: `files` is sorted by path, and paths are relative to the root of the repository. Apart from hits and
misses, a scan depends on the tree alone, not on the number of processes or the state of the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import Field

from holdfast.analysis.engine.source_text import VENDORED
from holdfast.kernel.models import Output
from holdfast.storage.git.project_files import FileStat, ProjectListing
from holdfast.syntax.record import Record

CacheStrategy = Literal["normal", "force-refresh", "offline"]
Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True)
class Project:
    """Which files of the repository to analyse."""

    path: str = ""
    """A folder or file below the root; empty for all of it."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    """How many levels of subfolders to include; 0 is the project's own folder alone."""
    languages: frozenset[str] = frozenset()
    """Only files in these languages; empty for all."""
    only_tracked: bool = False
    """Only files that git tracks."""


@dataclass(frozen=True)
class Skipped:
    """A file that was discovered but not analysed."""

    path: str
    reason: str
    """One of a few fixed texts, since results count files by reason: `generated`, `vendored`, `binary`, …"""


class FileStats(NamedTuple):
    """The files of a project and their stats at one time; scans for several products can share them."""

    taken_at: int
    """In nanoseconds since the epoch."""
    listed: ProjectListing
    by_path: Mapping[str, FileStat | str]
    """The stat of each file, or why it has none."""
    excluded: Mapping[str, str]
    """The files that git attributes exclude, with the reasons."""


@dataclass(frozen=True)
class FileScan(Generic[Made]):
    """The files of a project with their records, or with another product."""

    files: Mapping[str, Made]
    sizes: Mapping[str, int]
    """The size in bytes of each analysed file."""
    skipped: tuple[Skipped, ...] = ()
    other_files: tuple[str, ...] = field(default=())
    """Files in no supported language, such as templates, settings and documents."""
    hits: int = 0
    """Files whose product was cached."""
    misses: int = 0
    version: str | None = field(default=None, compare=False)
    """Equal for scans of equal files, `other_files` included. None if a file changed too recently for its
    stat to be trusted."""
    others_version: str | None = field(default=None, compare=False)
    """The version of `other_files` and `skipped_files` alone."""
    stats: FileStats | None = field(default=None, compare=False, repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """The key of the content of each analysed file, where it is known; equal contents have equal keys."""

    @property
    def skipped_files(self) -> tuple[str, ...]:
        """The files that were not analysed, such as generated code, without those of other projects."""
        return tuple(item.path for item in self.skipped if item.reason != VENDORED)

    @property
    def others(self) -> FileScan[Made]:
        """A scan of the files that were not analysed alone."""
        return FileScan({}, {}, other_files=self.other_files, version=self.others_version)

    @property
    def counts(self) -> FileCounts:
        """The file counts that every result carries."""
        reasons = Counter(item.reason for item in self.skipped)
        return FileCounts(
            files_discovered=len(self.files) + len(self.skipped),
            files_analyzed=len(self.files),
            files_skipped=dict(sorted(reasons.items())),
        )


Scan = FileScan[Record]
"""The records of a project."""


class FileCounts(Output):
    """How many files a result covers."""

    files_discovered: int = Field(description="Source files that the project has.")
    files_analyzed: int = Field(description="Source files that were analysed.")
    files_skipped: dict[str, int] = Field(description="Source files that were not analysed, by reason.")

    def result_fields(self, path: str, output_format: str | None = None) -> dict[str, Any]:
        """Return what every result begins with: these counts, the project's path and the format, if any."""
        fields = {**self.model_dump(), "project_path": path or "."}
        return fields if output_format is None else {**fields, "format": output_format}
