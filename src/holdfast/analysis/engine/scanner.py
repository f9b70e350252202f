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
from dataclasses import replace
from functools import partial
from typing import Generic

from holdfast.analysis.engine.discovery import classify_files, select_paths
from holdfast.analysis.engine.file_reader import (
    GONE,
    UNREADABLE,
    FileReader,
    ReadResult,
    Unparsed,
    log_failure,
    parse_in_threads,
    read_in_processes,
)
from holdfast.analysis.engine.product import Made, Product
from holdfast.analysis.engine.product_memory import ProductMemory
from holdfast.analysis.engine.record_cache import CachedFile, RecordCache
from holdfast.analysis.engine.scan import CacheStrategy, FileScan, FileStats, Project, Skipped
from holdfast.analysis.engine.scan_in_progress import ScanInProgress
from holdfast.analysis.engine.source_text import GENERATED, VENDORED, may_be_source
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import printable_path
from holdfast.storage.garbage_collection import without_garbage_collection
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import CommittedFile, committed_files
from holdfast.storage.git.project_files import FileStat, attributes, checked_project, file_stats, list_files
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.child import cores
from holdfast.syntax.core.library import is_used as core_is_used
from holdfast.syntax.core.sections import Parts

_PRODUCTS_PER_WRITE = 256
"""Products written to the cache in one transaction: a judgement between the cost of a transaction and the
work that is lost if the process is killed."""
_MAX_COMMITTED_FILES_CACHED = 100_000
"""Files in commits whose state is cached: a judgement, as they take some 20 MB."""
_IMMUTABLE = ""
"""The version of cached states of committed files, which never change."""
_ATTRIBUTES = {"linguist-vendored": VENDORED, "linguist-generated": GENERATED}
"""Git attributes that exclude a file, with the reason to skip it."""


def _stat_of_size(size: int) -> FileStat:
    """Return the stat of a file that is not looked up on disk, to classify it by its size."""
    return FileStat(inode=0, size=size, modified=0, changed=0)


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
        cached_states = self._states = self._states or self._cache.cached_files()
        if strategy == "offline":
            return self._scan_offline(product, project, cached_states)
        stats = stats or self._stats(project)
        discovered = classify_files(project, stats.by_path, stats.excluded)
        discovered.skipped += [
            Skipped(printable_path(f"{folder}/"), UNREADABLE) for folder in stats.listed.unreadable
        ]
        scan = ScanInProgress(product, project, discovered, stats)
        if strategy == "normal":
            for path, stat in discovered.candidates.items():
                if path in cached_states and cached_states[path].stat == stat:
                    scan.states[path] = cached_states[path]
            self._load(scan)
            keys = partial(self._cache.keys, only_whole=product.is_whole)
            self._read(scan, lambda unread: self._read_results(scan, unread, keys(), workers))
        # With force-refresh these are all files, otherwise those whose cached content could not be loaded.
        self._read(scan, lambda unread: self._read_results(scan, unread, [], workers))
        self._cache_file_states(scan, cached_states)
        return scan.finish()

    def _stats(self, project: Project) -> FileStats:
        taken_at = time.time_ns()
        listed = list_files(self._repository, self._git, project.path, tracked=project.only_tracked)
        by_path = file_stats(self._repository.root, select_paths(project, listed.paths))
        return FileStats(taken_at, listed, by_path, self._excluded_by_attributes(by_path))

    def scan_commit(self, project: Project, commit: str) -> FileScan[Made]:
        """Return the products of a project's files in a commit; git attributes are those of the work tree.

        Cached contents are not parsed, so that each further commit costs only what it changed.
        """
        assert self._git is not None  # the id of a commit comes from git
        listed = committed_files(self._git, commit, project.path)
        paths = select_paths(project, sorted(listed))
        stats = {path: _stat_of_size(listed[path].size) for path in paths}
        discovered = classify_files(project, stats, self._excluded_by_attributes(stats))
        scan = ScanInProgress(self._product, project, discovered)
        for path in discovered.candidates:
            if (state := self._committed_files.get((path, listed[path].id), _IMMUTABLE)) is not None:
                scan.states[path] = state
        self._load(scan)
        # Contents in the cache are not parsed; the second time, those that could not be loaded are.
        for keys in (self._cache.keys(only_whole=self._product.is_whole), []):
            self._read(scan, partial(self._read_committed, listed, keys))
        for path, state in scan.states.items():
            self._committed_files.put((path, listed[path].id), _IMMUTABLE, state)
        return scan.finish()

    def close(self) -> None:
        self._cache.close()
        if self._git is not None:
            self._git.close()

    def _scan_offline(
        self, product: Product[Made], project: Project, cached_states: Mapping[str, CachedFile]
    ) -> FileScan[Made]:
        if not cached_states:
            raise Unavailable(
                "Nothing of this repository is cached, and an offline analysis reads only the cache.",
                hint="Run the analysis once with the cache strategy 'normal'.",
            )
        paths = select_paths(project, sorted(cached_states))
        stats = {
            path: cached_states[path].unreadable or _stat_of_size(cached_states[path].size) for path in paths
        }
        excluded = {path: cached_states[path].reason for path in stats if cached_states[path].reason}
        scan = ScanInProgress(product, project, classify_files(project, stats, excluded))
        scan.states = {path: cached_states[path] for path in scan.discovered.candidates}
        self._load(scan)
        return scan.finish()

    def _excluded_by_attributes(self, stats: Mapping[str, FileStat | str]) -> dict[str, str]:
        if self._git is None:
            return {}
        sources = filter(may_be_source, stats)
        names = attributes(self._git, stats, sources, tuple(_ATTRIBUTES))
        return {path: _ATTRIBUTES[name] for path, name in names.items()}

    def _load(self, scan: ScanInProgress[Made]) -> None:
        """Load the products of the files that were read, from memory or from the cache."""
        only_whole = scan.product.is_whole
        missing: set[str] = set()
        for key in {state.key for state in scan.states.values() if state.key} - scan.products.keys():
            product = self._memory.get(key)
            if product is not None and (product.is_whole or not only_whole):
                scan.products[key] = product
            else:
                missing.add(key)
        for key, parts in self._cache.load(missing, only_whole=only_whole).items():
            scan.products[key] = self._memory.put(key, scan.product.restore(parts))

    def _read(
        self, scan: ScanInProgress[Made], read: Callable[[list[str]], Generator[ReadResult, None, None]]
    ) -> None:
        """Read the files that are unread, and cache their products."""
        unread = scan.unread()
        if not unread:
            return
        call = current_call()
        uncached: dict[str, Parts] = {}
        try:
            # Closed here and not by the garbage collector, so that its processes end now.
            with closing(read(unread)) as results:
                for done, result in enumerate(results, 1):
                    scan.add(result)
                    if result.parts is not None:
                        uncached[result.key] = result.parts
                        self._memory.put(result.key, scan.products[result.key])
                    if len(uncached) >= _PRODUCTS_PER_WRITE:
                        self._cache.put(uncached, {})
                        uncached = {}
                    call.progress(done, len(unread), "files read")
        finally:
            self._cache.put(uncached, {})
        self._load(scan)

    def _read_results(
        self, scan: ScanInProgress[Made], paths: Sequence[str], keys: Sequence[str], workers: int | None
    ) -> Generator[ReadResult, None, None]:
        """Read files of the work tree; contents with one of the keys are not parsed."""
        reader = FileReader(self._repository.root, keys, scan.product)
        if core_is_used():
            yield from parse_in_threads(reader, map(reader.read_text, paths), workers or cores())
            return
        sizes = {path: scan.discovered.candidates[path].size for path in paths}
        processes = min(workers or cores(), sum(sizes.values()) // self._bytes_per_process)
        if processes > 1:
            yield from read_in_processes(scan.product, self._repository.root, keys, sizes, processes)
        else:
            yield from map(reader.read, paths)

    def _read_committed(
        self, listed: Mapping[str, CommittedFile], keys: list[str], paths: list[str]
    ) -> Generator[ReadResult, None, None]:
        """Read files of a commit; contents with one of the keys are not parsed."""
        reader = FileReader(self._repository.root, keys, self._product)
        texts = (self._read_blob(reader, path, listed[path]) for path in paths)
        if core_is_used():
            yield from parse_in_threads(reader, texts, cores())
        else:
            yield from map(log_failure, map(reader.parse, texts))

    def _read_blob(self, reader: FileReader, path: str, file: CommittedFile) -> ReadResult | Unparsed:
        assert self._git is not None
        blob = self._git.objects().read(file.id, LIMITS.source_file_bytes)
        return ReadResult(path, reason=GONE) if blob is None else reader.read_text(path, blob.data)

    def _cache_file_states(self, scan: ScanInProgress[Made], cached_states: Mapping[str, CachedFile]) -> None:
        """Cache the state of every file, including those that are not read, for offline scans."""
        listed = set(scan.stats.listed.paths)
        changed: dict[str, CachedFile] = {}
        for path, stat in scan.stats.by_path.items():
            if path in scan.states:
                state = scan.states[path]
            elif isinstance(stat, str):
                state = CachedFile(None, unreadable=stat)
            else:
                state = CachedFile(None, stat.size, reason=scan.stats.excluded.get(path, ""))
            if cached_states.get(path) != state:
                changed[path] = state
        prefix = f"{scan.project.path}/" if scan.project.path else ""
        deleted = {path for path in cached_states if path.startswith(prefix) and path not in listed}
        if changed or deleted:
            self._cache.put({}, changed, deleted)
            states = {**cached_states, **changed}
            self._states = {path: state for path, state in states.items() if path not in deleted}
