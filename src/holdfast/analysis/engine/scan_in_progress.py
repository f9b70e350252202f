"""The state of one scan: what was discovered, read and parsed so far, and the scan that results from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Generic

from holdfast.analysis.engine.discovery import Discovered
from holdfast.analysis.engine.file_reader import FAILED, GONE, TOOK_TOO_LONG, UNREADABLE, ReadResult
from holdfast.analysis.engine.product import Made, Product
from holdfast.analysis.engine.record_cache import CachedFile
from holdfast.analysis.engine.scan import FileScan, FileStats, Project, Skipped
from holdfast.storage.git.project_files import FileStat, ProjectListing

RECENT_CHANGE_NANOSECONDS = 2_000_000_000
"""A file changed this recently may change again within the same timestamp, so its stat is not trusted. FAT
has the coarsest timestamps in use, 2 seconds:
https://learn.microsoft.com/windows/win32/sysinfo/file-times."""
_NOT_CACHED = "not cached"
"""The reason to skip a file whose content an offline scan does not find in the cache."""
_TRANSIENT = frozenset((FAILED, GONE, TOOK_TOO_LONG, UNREADABLE))
"""Reasons to skip a file that may not apply to the next scan, although its stat is the same."""
_NO_FILE_STATS = FileStats(0, ProjectListing([], []), {}, {})
"""The stats of a scan that has no work tree: one of a commit, or of the cache alone."""


@dataclass
class ScanInProgress(Generic[Made]):
    """The state of one scan; every candidate must be added before it is finished."""

    product: Product[Made]
    project: Project
    discovered: Discovered
    stats: FileStats = _NO_FILE_STATS
    states: dict[str, CachedFile] = field(default_factory=dict)
    """The state of each candidate that was read, by this scan or an earlier one."""
    products: dict[str, Made] = field(default_factory=dict)
    """The products in memory, by key."""
    parsed: set[str] = field(default_factory=set)
    """The keys of the contents that this scan parsed."""

    def unread(self) -> list[str]:
        """Return the candidates that were never read, or have no product in memory."""
        return [path for path in self.discovered.candidates if self._is_unread(path)]

    def _is_unread(self, path: str) -> bool:
        state = self.states.get(path)
        return state is None or (state.key != "" and state.key not in self.products)

    def add(self, result: ReadResult) -> None:
        stat = self.discovered.candidates[result.path]
        is_trusted = self._detects_changes(stat) and result.reason not in _TRANSIENT
        self.states[result.path] = CachedFile(
            stat if is_trusted else None, stat.size, key=result.key, reason=result.reason
        )
        if result.parts is not None:
            self.parsed.add(result.key)
            self.products[result.key] = self.product.restore(result.parts)

    def _detects_changes(self, stat: FileStat) -> bool:
        """Return whether a later change of the file would change its stat."""
        return max(stat.modified, stat.changed) < self.stats.taken_at - RECENT_CHANGE_NANOSECONDS

    def _with_versions(self, scan: FileScan[Made]) -> FileScan[Made]:
        """Add versions, which identify the contents of the scanned files and the stats of the other files.

        They are left out if another file changed too recently for its stat to be trusted.
        """
        unparsed = [*scan.other_files, *scan.skipped_files]
        stats = [self.stats.by_path.get(path) for path in unparsed]
        if not all(self._detects_changes(stat) for stat in stats if isinstance(stat, FileStat)):
            return scan
        others = _digest(list(zip(unparsed, stats, strict=True)))
        keys = [(path, self.states[path].key) for path in scan.files]
        skipped = [(item.path, item.reason) for item in scan.skipped]
        version = _digest((self.project, keys, skipped, others))
        return replace(scan, version=version, others_version=others)

    def finish(self) -> FileScan[Made]:
        """Return the scan, once every candidate was read."""
        files: dict[str, Made] = {}
        skipped, other_files = self.discovered.skipped, self.discovered.other_files
        for path in self.discovered.candidates:
            state = self.states[path]
            if state.reason == GONE:
                continue
            if state.reason:
                skipped.append(Skipped(path, state.reason))
            elif not state.key:
                other_files.append(path)
            elif (product := self.products.get(state.key)) is None:
                skipped.append(Skipped(path, _NOT_CACHED))
            elif not self.project.languages or product.language in self.project.languages:
                files[path] = product
        misses = sum(self.states[path].key in self.parsed for path in files)
        scan = FileScan(
            files,
            {path: self.discovered.candidates[path].size for path in files},
            tuple(sorted(skipped, key=lambda item: item.path)),
            tuple(sorted(other_files)),
            hits=len(files) - misses,
            misses=misses,
            stats=self.stats,
            keys={path: self.states[path].key for path in files},
        )
        return self._with_versions(scan)


def _digest(value: object) -> str:
    return blake2b(repr(value).encode("utf-8", "replace"), digest_size=16).hexdigest()
