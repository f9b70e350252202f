"""Scans the files of a project: discovers them, reads those that changed, and returns their products, which
are records or tokens.

Contract:
- A file whose stat matches the cache is not read; a file whose content is cached is not parsed.
- Results are cached as they arrive, so that after a cancelled scan the next one continues.
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

from holdfast.analysis.engine.discovery import Discovered, classify_files, select_paths
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

RECENT_CHANGE_NANOSECONDS = 2_000_000_000
"""A file changed this recently may change again within the same timestamp, so its stat is not trusted. FAT
has the coarsest timestamps in use, 2 seconds:
https://learn.microsoft.com/windows/win32/sysinfo/file-times."""
_PRODUCTS_PER_WRITE = 256
"""Products written to the cache in one transaction: a judgement between the cost of a transaction and the
work that is lost if the process is killed."""
_MAX_COMMITTED_FILES_CACHED = 100_000
"""Files in commits whose state is cached: a judgement, as they take some 20 MB."""
_TRANSIENT = frozenset((FAILED, GONE, TOOK_TOO_LONG, UNREADABLE))
"""Reasons to skip a file that may not apply to the next scan, although its stat is the same."""
_NO_FILE_STATS = FileStats(0, ProjectListing([], []), {}, {})
_IMMUTABLE = ""
"""The version of cached states of committed files, which never change."""
_ATTRIBUTES = {"linguist-vendored": VENDORED, "linguist-generated": GENERATED}
"""Git attributes that exclude a file, with the reason to skip it."""


@dataclass
class _ScanInProgress(Generic[Made]):
    """The state of one scan."""

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
        stats = [self.stats.by_path.get(path) for path in scan.other_files]
        if not all(isinstance(stat, FileStat) and self._detects_changes(stat) for stat in stats):
            return scan
        others = _digest(list(zip(scan.other_files, stats, strict=True)))
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
                skipped.append(Skipped(path, NOT_CACHED))
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
        )
        return self._with_versions(scan)


def _digest(value: object) -> str:
    return blake2b(repr(value).encode("utf-8", "replace"), digest_size=16).hexdigest()


class Scanner(Generic[Made]):
    """Scans the files of one repository. Thread-safe."""

    def __init__(
        self, repository: Repository, product: Product[Made], bytes_per_process: int | None = None
    ) -> None:
        self._repository = repository
        self._product = product
        self._bytes_per_process = bytes_per_process or product.bytes_per_process
        self._git = None if repository.git_dir is None else Git(repository)
        self._cache = RecordCache(repository, product.name)
        self._memory = ProductMemory[Made]()
        self._states: dict[str, CachedFile] = {}
        """The cached states of the files of the work tree, read from the cache by the first scan."""
        self._committed_files: VersionedCache[CachedFile] = VersionedCache(_MAX_COMMITTED_FILES_CACHED)
        """The state of files in commits, by path and blob id."""

    @without_garbage_collection()
    def scan(
        self,
        project: Project,
        strategy: CacheStrategy,
        workers: int | None,
        product: Product[Made] | None = None,
        stats: FileStats | None = None,
    ) -> FileScan[Made]:
        """Return the products of a project's files: by default those of this scanner.

        `product` may be one that needs less time, such as records without names. `stats` saves reading the
        file stats again right after a scan for another product.
        """
        product = product or self._product
        project = replace(project, path=checked_project(self._repository, project.path))
        known = self._states = self._states or self._cache.cached_files()
        if strategy == "offline":
            return self._scan_offline(product, project, known)
        stats = stats or self._stats(project)
        discovered = classify_files(project, stats.by_path, stats.excluded)
        discovered.skipped += [
            Skipped(printable_path(f"{folder}/"), UNREADABLE) for folder in stats.listed.unreadable
        ]
        work = _ScanInProgress(product, project, discovered, stats)
        if strategy == "normal":
            for path, stat in discovered.candidates.items():
                if path in known and known[path].stat == stat:
                    work.states[path] = known[path]
            self._load(work)
            keys = partial(self._cache.keys, only_whole=product.is_whole)
            self._read(work, lambda unread: self._read_results(work, unread, keys(), workers))
        # With force-refresh all files, otherwise those whose content was cached but could not be loaded.
        self._read(work, lambda unread: self._read_results(work, unread, [], workers))
        self._cache_file_states(work, known)
        return work.finish()

    def _stats(self, project: Project) -> FileStats:
        taken_at = time.time_ns()
        listed = list_files(self._repository, self._git, project.path, tracked=project.only_tracked)
        by_path = file_stats(self._repository.root, select_paths(project, listed.paths))
        return FileStats(taken_at, listed, by_path, self._excluded_by_attributes(by_path))

    def scan_commit(self, project: Project, commit: str) -> FileScan[Made]:
        """Return the products of a project's files in a commit; git attributes are those of the work tree.

        Cached contents are not parsed, so that each further commit costs only what it changed.
        """
        assert self._git is not None
        listed = committed_files(self._git, commit, project.path)
        paths = select_paths(project, sorted(listed))
        stats = {path: FileStat(0, listed[path].size, 0, 0) for path in paths}
        discovered = classify_files(project, stats, self._excluded_by_attributes(stats))
        work = _ScanInProgress(self._product, project, discovered)
        for path in discovered.candidates:
            if (state := self._committed_files.get((path, listed[path].id), _IMMUTABLE)) is not None:
                work.states[path] = state
        self._load(work)
        # The second time those whose content was cached but could not be loaded.
        for keys in (self._cache.keys(only_whole=self._product.is_whole), []):
            self._read(work, partial(self._read_committed, listed, keys))
        for path, state in work.states.items():
            self._committed_files.put((path, listed[path].id), _IMMUTABLE, state)
        return work.finish()

    def close(self) -> None:
        self._cache.close()
        if self._git is not None:
            self._git.close()

    def _scan_offline(
        self, product: Product[Made], project: Project, known: Mapping[str, CachedFile]
    ) -> FileScan[Made]:
        if not known:
            raise Unavailable(
                "Nothing of this repository is cached, and an offline analysis reads only the cache.",
                hint="Run the analysis once with the cache strategy 'normal'.",
            )
        paths = select_paths(project, sorted(known))
        stats = {path: known[path].unreadable or FileStat(0, known[path].size, 0, 0) for path in paths}
        excluded = {path: known[path].reason for path in stats if known[path].reason}
        work = _ScanInProgress(product, project, classify_files(project, stats, excluded))
        work.states = {path: known[path] for path in work.discovered.candidates}
        self._load(work)
        return work.finish()

    def _excluded_by_attributes(self, stats: Mapping[str, FileStat | str]) -> dict[str, str]:
        if self._git is None:
            return {}
        sources = filter(may_be_source, stats)
        names = attributes(self._git, stats, sources, tuple(_ATTRIBUTES))
        return {path: _ATTRIBUTES[name] for path, name in names.items()}

    def _load(self, work: _ScanInProgress[Made]) -> None:
        """Load the products of the files that were read, from memory or from the cache."""
        missing, only_whole = set[str](), work.product.is_whole
        for key in {state.key for state in work.states.values() if state.key} - work.products.keys():
            product = self._memory.get(key)
            if product is not None and (product.is_whole or not only_whole):
                work.products[key] = product
            else:
                missing.add(key)
        for key, parts in self._cache.load(missing, only_whole=only_whole).items():
            work.products[key] = self._memory.put(key, work.product.restore(parts))

    def _read(
        self, work: _ScanInProgress[Made], read: Callable[[list[str]], Generator[ReadResult, None, None]]
    ) -> None:
        """Read the files that are unread, and cache their products."""
        unread = work.unread()
        if not unread:
            return
        call, new = current_call(), dict[str, Parts]()
        try:
            # Closed here and not by the garbage collector, so that its processes end now.
            with closing(read(unread)) as results:
                for done, result in enumerate(results, 1):
                    work.add(result)
                    if result.parts is not None:
                        new[result.key] = result.parts
                        self._memory.put(result.key, work.products[result.key])
                    if len(new) >= _PRODUCTS_PER_WRITE:
                        self._cache.put(new, {})
                        new = {}
                    call.progress(done, len(unread), "files read")
        finally:
            self._cache.put(new, {})
        self._load(work)

    def _read_results(
        self, work: _ScanInProgress[Made], paths: Sequence[str], keys: Sequence[str], workers: int | None
    ) -> Generator[ReadResult, None, None]:
        """Read files of the work tree; contents with one of the keys are not parsed."""
        sizes = {path: work.discovered.candidates[path].size for path in paths}
        processes = min(workers or cores(), sum(sizes.values()) // self._bytes_per_process)
        if processes > 1:
            yield from read_in_processes(work.product, self._repository.root, keys, sizes, processes)
        else:
            yield from map(FileReader(self._repository.root, keys, work.product).read, paths)

    def _read_committed(
        self, listed: Mapping[str, CommittedFile], keys: list[str], paths: list[str]
    ) -> Generator[ReadResult, None, None]:
        """Read files of a commit; contents with one of the keys are not parsed."""
        assert self._git is not None
        read = FileReader(self._repository.root, keys, self._product).read
        for path in paths:
            blob = self._git.objects().read(listed[path].id, LIMITS.source_file_bytes)
            yield ReadResult(path, reason=GONE) if blob is None else read(path, blob.data)

    def _cache_file_states(self, work: _ScanInProgress[Made], known: Mapping[str, CachedFile]) -> None:
        """Cache the state of every file, including those that are not read, for offline scans."""
        listed = set(work.stats.listed.paths)
        changed: dict[str, CachedFile] = {}
        for path, stat in work.stats.by_path.items():
            if path in work.states:
                state = work.states[path]
            elif isinstance(stat, str):
                state = CachedFile(None, unreadable=stat)
            else:
                state = CachedFile(None, stat.size, reason=work.stats.excluded.get(path, ""))
            if known.get(path) != state:
                changed[path] = state
        prefix = f"{work.project.path}/" if work.project.path else ""
        deleted = {path for path in known if path.startswith(prefix) and path not in listed}
        if changed or deleted:
            self._cache.put({}, changed, deleted)
            states = {**known, **changed}
            self._states = {path: state for path, state in states.items() if path not in deleted}
