"""Scans the files of a project: discovers them, reads those that changed, and returns their records.

Contract:
- A file whose stat matches the cache is not read; a file whose content is cached is not parsed.
- Results are cached as they arrive, so that a scan that is cancelled leaves its work to the next one.
- The same tree gives the same scan, whatever was cached and however many processes read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Generic

from holdfast.analysis.engine.discovery import Discovered, selected, sort_out
from holdfast.analysis.engine.file_reader import (
    FAILED,
    GONE,
    TOOK_TOO_LONG,
    UNREADABLE,
    FileReader,
    ReadResult,
    read_in_processes,
)
from holdfast.analysis.engine.product import Made, Product
from holdfast.analysis.engine.product_memory import ProductMemory
from holdfast.analysis.engine.record_cache import CachedFile, RecordCache
from holdfast.analysis.engine.scan import CacheStrategy, FileScan, FileStats, Project, Skipped
from holdfast.analysis.engine.source_text import GENERATED, VENDORED, may_be_source
from holdfast.analysis.engine.stored_record import Parts
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import without_garbage_collection
from holdfast.kernel.text import printable_path
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import CommittedFile, committed_files
from holdfast.storage.git.project_files import (
    FileStat,
    ProjectListing,
    attributes,
    checked_project,
    file_stats,
    list_files,
)
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.child import cores

NOT_CACHED = "not cached"

_YOUNG_NANOSECONDS = 2_000_000_000
"""A file changed this recently may change again within the same timestamp, so its stat is not trusted. FAT
has the coarsest timestamps in use, 2 seconds:
https://learn.microsoft.com/windows/win32/sysinfo/file-times."""
_RECORDS_PER_WRITE = 256
"""Records written to the cache in one transaction: a chosen bound on what a cancelled scan loses."""
_BLOBS = 100_000
"""Blobs of commits whose keys are remembered: a chosen bound, some 20 MB."""
_TRANSIENT = frozenset((FAILED, GONE, TOOK_TOO_LONG, UNREADABLE))
"""Reasons that may not apply to the next scan, although the file's stat is the same."""
_NO_STATS = FileStats(0, ProjectListing([], []), {}, {})
_ATTRIBUTES = {"linguist-vendored": VENDORED, "linguist-generated": GENERATED}


@dataclass
class _ScanInProgress(Generic[Made]):
    """One scan while it is in progress."""

    product: Product[Made]
    project: Project
    found: Discovered
    stats: FileStats = _NO_STATS
    known: dict[str, CachedFile] = field(default_factory=dict)
    """The state of each known candidate, by path."""
    records: dict[str, Made] = field(default_factory=dict)
    """By key."""
    parsed: set[str] = field(default_factory=set)
    """The keys of the contents that this scan parsed."""

    def unread(self) -> list[str]:
        """Return the candidates that were never read, or whose record is not loaded."""
        return [path for path in self.found.candidates if self._is_unread(path)]

    def _is_unread(self, path: str) -> bool:
        known = self.known.get(path)
        return known is None or (known.key != "" and known.key not in self.records)

    def add(self, result: ReadResult) -> None:
        """Add the result of reading a file."""
        seen = self.found.candidates[result.path]
        is_lasting = max(seen.modified, seen.changed) < self.stats.taken_at - _YOUNG_NANOSECONDS
        trusted = seen if is_lasting and result.reason not in _TRANSIENT else None
        self.known[result.path] = CachedFile(trusted, seen.size, "", result.key, result.reason)
        if result.parts is not None:
            self.parsed.add(result.key)
            self.records[result.key] = self.product.restored(result.parts)

    def _with_versions(self, scan: FileScan[Made]) -> FileScan[Made]:
        """Add versions that identify the content of the scanned files, and the stats of the other files."""
        stats = [self.stats.seen.get(path) for path in scan.other_files]
        newest = self.stats.taken_at - _YOUNG_NANOSECONDS
        if any(not isinstance(one, FileStat) or max(one.modified, one.changed) >= newest for one in stats):
            return scan
        others = _digest(list(zip(scan.other_files, stats, strict=True)))
        keys = [(path, self.known[path].key) for path in scan.files]
        skipped = [(item.path, item.reason) for item in scan.skipped]
        whole = _digest((self.project, keys, skipped, others))
        return replace(scan, version=whole, others_version=others)

    def scan(self) -> FileScan[Made]:
        """Return the scan."""
        files: dict[str, Made] = {}
        skipped, others = self.found.skipped, self.found.others
        for path in self.found.candidates:
            known = self.known[path]
            if known.reason:
                skipped += [] if known.reason == GONE else [Skipped(path, known.reason)]
            elif not known.key:
                others.append(path)
            elif (record := self.records.get(known.key)) is None:
                skipped.append(Skipped(path, NOT_CACHED))
            elif not self.project.languages or record.language in self.project.languages:
                files[path] = record
        misses = sum(self.known[path].key in self.parsed for path in files)
        made = FileScan(
            files,
            {path: self.found.candidates[path].size for path in files},
            tuple(sorted(skipped, key=lambda item: item.path)),
            tuple(sorted(others)),
            hits=len(files) - misses,
            misses=misses,
            stats=self.stats,
        )
        return self._with_versions(made)


def _digest(what: object) -> str:
    return blake2b(repr(what).encode("utf-8", "replace"), digest_size=16).hexdigest()


class Scanner(Generic[Made]):
    """Makes the scans of one repository. Thread-safe."""

    def __init__(
        self, repository: Repository, product: Product[Made], worth_bytes: int | None = None
    ) -> None:
        self._repository = repository
        self._product = product
        self._worth_bytes = worth_bytes or product.worth_bytes
        self._git = None if repository.git_dir is None else Git(repository)
        self._cache = RecordCache(repository, product.name)
        self._memory = ProductMemory[Made]()
        self._known: dict[str, CachedFile] = {}
        self._blobs: VersionedCache[CachedFile] = VersionedCache(_BLOBS)
        """The state of files in commits, by path and blob id."""

    @without_garbage_collection()
    def scan(
        self,
        project: Project,
        strategy: CacheStrategy,
        workers: int | None,
        part: Product[Made] | None = None,
        stats: FileStats | None = None,
    ) -> FileScan[Made]:
        """Return the products of a project's files, or the cheaper product `part` in their place.

        `stats` saves reading the file stats again right after a scan for another product.
        """
        product = part or self._product
        project = replace(project, path=checked_project(self._repository, project.path))
        known = self._known = self._known or self._cache.cached_files()
        if strategy == "offline":
            return self._offline(product, project, known)
        stats = stats or self._stats(project)
        work = _ScanInProgress(product, project, sort_out(project, stats.seen, stats.excluded), stats)
        unreadable = stats.listed.unreadable
        work.found.skipped += [Skipped(printable_path(f"{folder}/"), UNREADABLE) for folder in unreadable]
        if strategy == "normal":
            self._use_cache(work, known)
            keys = partial(self._cache.keys, whole=product.is_whole)
            self._read(work, lambda unread: self._results(work, unread, keys(), workers))
        self._read(work, lambda unread: self._results(work, unread, [], workers))
        self._cache_files(work, known)
        return work.scan()

    def _stats(self, project: Project) -> FileStats:
        """List the files of a project with their stats."""
        taken_at = time.time_ns()
        listed = list_files(self._repository, self._git, project.path, tracked=project.tracked)
        seen = file_stats(self._repository.root, selected(project, listed.paths))
        return FileStats(taken_at, listed, seen, self._excluded_by_attributes(seen))

    def of_commit(self, project: Project, commit: str) -> FileScan[Made]:
        """Return the records of a project in a commit; git attributes are those of the work tree.

        Cached contents are not parsed, so that each further commit costs what it changed.
        """
        assert self._git is not None
        listed = committed_files(self._git, commit, project.path)
        paths = selected(project, sorted(listed))
        seen = {path: FileStat(0, listed[path].size, 0, 0) for path in paths}
        work = _ScanInProgress(
            self._product, project, sort_out(project, seen, self._excluded_by_attributes(seen))
        )
        for path in work.found.candidates:
            if (known := self._blobs.get((path, listed[path].id), "")) is not None:
                work.known[path] = known
        self._load(work)
        for contents in (self._cache.keys(whole=work.product.is_whole), []):
            self._read(work, partial(self._committed, listed, contents))
        for path, known in work.known.items():
            self._blobs.put((path, listed[path].id), "", known)
        return work.scan()

    def close(self) -> None:
        """Close the cache, and end git."""
        self._cache.close()
        if self._git is not None:
            self._git.close()

    def _offline(
        self, product: Product[Made], project: Project, known: Mapping[str, CachedFile]
    ) -> FileScan[Made]:
        if not known:
            raise Unavailable(
                "Nothing of this repository is cached, and an offline analysis reads only the cache.",
                hint="Run the analysis once with the cache strategy 'normal'.",
            )
        paths = selected(project, sorted(known))
        seen = {path: known[path].unreadable or FileStat(0, known[path].size, 0, 0) for path in paths}
        excluded = {path: known[path].reason for path in seen if known[path].reason}
        work = _ScanInProgress(product, project, sort_out(project, seen, excluded))
        work.known = {path: known[path] for path in work.found.candidates}
        self._load(work)
        return work.scan()

    def _excluded_by_attributes(self, seen: Mapping[str, FileStat | str]) -> dict[str, str]:
        if self._git is None:
            return {}
        sources = filter(may_be_source, seen)
        found = attributes(self._git, seen, sources, tuple(_ATTRIBUTES))
        return {path: _ATTRIBUTES[name] for path, name in found.items()}

    def _use_cache(self, work: _ScanInProgress[Made], known: Mapping[str, CachedFile]) -> None:
        """Use the cache for the files whose stats match it."""
        for path, seen in work.found.candidates.items():
            if (one := known.get(path)) is not None and one.seen == seen:
                work.known[path] = one
        self._load(work)

    def _load(self, work: _ScanInProgress[Made]) -> None:
        """Load the records of the known keys, from memory or from the cache."""
        missing, whole = set[str](), work.product.is_whole
        for key in {one.key for one in work.known.values() if one.key} - work.records.keys():
            if (record := self._memory.get(key)) is not None and record.is_whole >= whole:
                work.records[key] = record
            else:
                missing.add(key)
        for key, parts in self._cache.load(missing, whole=whole).items():
            work.records[key] = self._memory.put(key, work.product.restored(parts))

    def _read(
        self, work: _ScanInProgress[Made], reader: Callable[[list[str]], Generator[ReadResult, None, None]]
    ) -> None:
        """Read the files that are unread, and cache their records."""
        unread = work.unread()
        if not unread:
            return
        call, new = current_call(), dict[str, Parts]()
        try:
            # Closed here, not by the garbage collector: its processes end with it.
            with closing(reader(unread)) as results:
                for done, result in enumerate(results, 1):
                    work.add(result)
                    if result.parts is not None:
                        new[result.key] = result.parts
                        self._memory.put(result.key, work.records[result.key])
                    if len(new) >= _RECORDS_PER_WRITE:
                        self._cache.put(new, {})
                        new = {}
                    call.progress(done, len(unread), "files read")
        finally:
            self._cache.put(new, {})
        self._load(work)

    def _results(
        self, work: _ScanInProgress[Made], paths: Sequence[str], contents: Sequence[str], workers: int | None
    ) -> Generator[ReadResult, None, None]:
        sizes = {path: work.found.candidates[path].size for path in paths}
        processes = min(workers or cores(), sum(sizes.values()) // self._worth_bytes)
        if processes > 1:
            yield from read_in_processes(work.product, self._repository.root, contents, sizes, processes)
        else:
            yield from map(FileReader(self._repository.root, contents, work.product).read, paths)

    def _committed(
        self, listed: Mapping[str, CommittedFile], contents: list[str], paths: list[str]
    ) -> Generator[ReadResult, None, None]:
        assert self._git is not None
        read = FileReader(self._repository.root, contents, self._product).read
        for path in paths:
            found = self._git.objects().read(listed[path].id, LIMITS.source_file_bytes)
            yield ReadResult(path, reason=GONE) if found is None else read(path, found.data)

    def _cache_files(self, work: _ScanInProgress[Made], known: Mapping[str, CachedFile]) -> None:
        """Cache the state of every file, including those that are not read, for offline scans."""
        _, (paths, _), seen, excluded = work.stats
        listed = set(paths)
        now = {
            path: work.known.get(path)
            or (
                CachedFile(None, 0, stat)
                if isinstance(stat, str)
                else CachedFile(None, stat.size, reason=excluded.get(path, ""))
            )
            for path, stat in seen.items()
        }
        new = {path: one for path, one in now.items() if known.get(path) != one}
        inside = f"{work.project.path}/" if work.project.path else ""
        gone = [path for path in known if path.startswith(inside) and path not in listed]
        if new or gone:
            self._cache.put({}, new, gone)
            self._known = {path: one for path, one in {**known, **new}.items() if path not in set(gone)}
