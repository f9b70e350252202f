"""The room of the analyses: the object that every operation of this package gets, for one repository.

It makes scans, and caches the results that analyses compute from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.analysis.analysis_process import AnalysisProcesses, memory_error, memory_limit
from holdfast.analysis.churn.history import History
from holdfast.analysis.columns.kept_results import KeptResults
from holdfast.analysis.engine.product import NUMBERS, RECORDS, TOKENS
from holdfast.analysis.engine.scan import CacheStrategy, FileScan, FileStats, Project, Scan
from holdfast.analysis.engine.scanner import Scanner
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.analysis.trend.point_store import PointStore
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import Clock, utc_now
from holdfast.kernel.errors import Denied, Invalid, NotFound, TooLarge, Unavailable
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.command import Git
from holdfast.storage.git.history.committed_files import CommittedFile, committed_files
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.memory import memory_limited

if TYPE_CHECKING:
    from holdfast.analysis.graph.resolution import Resolution
    from holdfast.syntax.record import Record

_MAX_SETTINGS_BYTES = 4 * 2**20
"""The largest settings file that is read: a judgement, the same as for source files."""
_FILES_PER_PROGRESS_REPORT = 100
"""Files measured between two progress reports: a judgement, as 100 take a fraction of a second."""
_MAX_UNSAVED_SHARE = 0.01
"""The share of results by file that are computed again in each process before all are written: a judgement,
as writing all takes about as long as computing so many."""
_MAX_RESULTS_CACHED = 32
"""Results cached in memory: a judgement, above the number of different computations over one scan."""

Result = TypeVar("Result")
Arguments = TypeVar("Arguments")


class Analysis:
    """The scanners, caches and history that the analyses of one repository share."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock = utc_now,
        *,
        workers: int | None = None,
        processes: AnalysisProcesses | None = None,
    ) -> None:
        """`workers` is the maximum number of processes that read files, by default one for each core.

        With `processes`, operations run in them, each with a room of its own.
        """
        self.repository = repository
        self._processes = processes
        self._workers = workers
        self.clock = clock
        self.history = History(repository)
        self.points = PointStore(repository)
        self._scanner = Scanner(repository, RECORDS)
        self._token_scanner = Scanner(repository, TOKENS)
        self._reads_names = False
        """Whether all scans read names, as they do once one has needed them: a file that was read without
        names would have to be read again for the next scan that needs them."""
        self._tree = Tree(repository)
        self._results: VersionedCache[Any] = VersionedCache(_MAX_RESULTS_CACHED)
        self._last_resolution: Resolution | None = None
        self._by_file: dict[str, dict[str, tuple[str | Record, Any]]] = {}
        """By key of `cached_by_file` and path: the key of a content, or a record, and the result from it."""
        self._kept: dict[str, Any] = {}
        self._lock = Lock()

    def run(self, operation: Callable[[Analysis, Arguments], Result], arguments: Arguments) -> Result:
        """Run an operation of this room where its operations run, in bounded memory."""
        if self._processes is not None:
            result: Result = self._processes.run(operation, arguments)
            return result
        max_bytes = memory_limit()
        with memory_limited(max_bytes, lambda: memory_error(self.repository, arguments, max_bytes)):
            return operation(self, arguments)

    def scan(
        self,
        project: Project,
        *,
        strategy: CacheStrategy = "normal",
        workers: int | None = None,
        with_names: bool = True,
    ) -> Scan:
        """Return the records of a project's files.

        Without names, reading files that are not cached takes half the time.
        """
        self._reads_names |= with_names
        product = RECORDS if self._reads_names else NUMBERS
        return self._scanner.scan(project, strategy, workers or self._workers, product)

    def scan_commit(self, commit: str, project: Project) -> Scan:
        """Return the records of a project's files in a commit, read from git's objects."""
        return self._scanner.scan_commit(project, commit)

    def scan_tokens(
        self, project: Project, *, workers: int | None = None, stats: FileStats | None = None
    ) -> FileScan[TokenStream]:
        """Return the tokens of a project's files, in far less time than `scan`, as nothing is parsed."""
        return self._token_scanner.scan(project, "normal", workers or self._workers, stats=stats)

    def cached(self, key: str, scan: FileScan[object], compute: Callable[[], Result]) -> Result:
        """Return a result computed from a scan; it is computed again only if the scan changed.

        The key identifies the computation and everything else that its result depends on. A result of None
        is not cached.
        """
        cached: Result | None = self._results.get(key, scan.version)
        return self._results.put(key, scan.version, compute()) if cached is None else cached

    def cached_by_file(
        self, key: str, scan: Scan, compute: Callable[[str, Record], Result], *, on_disk: bool = False
    ) -> dict[str, Result]:
        """Return a result for each file, computed from its path and record; again only if the file changed.

        For each key, only the results for the last scan are cached. Results that consist of JSON values can
        be kept `on_disk` as well.
        """
        kept = KeptResults(self.repository, key)
        if key not in self._by_file and on_disk:
            self._by_file[key] = dict(kept.load())
        cached, call, computed = self._by_file.get(key, {}), current_call(), 0
        results: dict[str, tuple[str | Record, Any]] = {}
        for path, record in scan.files.items():
            if len(results) % _FILES_PER_PROGRESS_REPORT == 0:
                call.progress(len(results), len(scan.files), "files measured")
            content = scan.keys.get(path, record)
            former_content, result = cached.get(path, (None, None))
            if former_content is not content and (content is record or former_content != content):
                result = compute(path, record)
                computed += 1
            results[path] = content, result
        self._by_file[key] = results
        if on_disk and computed > _MAX_UNSAVED_SHARE * len(results):
            kept.save({path: (scan.keys[path], results[path][1]) for path in results if path in scan.keys})
        return {path: result for path, (_, result) in results.items()}

    def committed_files(self, commit: str, project: str) -> Mapping[str, CommittedFile]:
        """Return the files of a project in a commit; those of the last one are remembered."""
        key = f"committed files of {project}"
        listed: Mapping[str, CommittedFile] | None = self._results.get(key, commit)
        if listed is None:
            with Git(self.repository) as git:
                listed = committed_files(git, commit, project)
            self._results.put(key, commit, listed)
        return listed

    def kept(self, key: str, make: Callable[[], Result]) -> Result:
        """Return an object that remembers what it computed, made once for this room."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
            kept: Result = self._kept[key]
            return kept

    def resolution(self, scan: Scan) -> Resolution:
        """Return the resolution of a scan's imports and names."""
        from holdfast.analysis.graph.resolution import Resolution  # slow to import, and most calls need none

        def resolve() -> Resolution:
            resolution = Resolution(scan, self.read_text, self._last_resolution)
            self._last_resolution = resolution if scan.version else self._last_resolution
            return resolution

        return self.cached("resolution", scan, resolve)

    def read_text(self, path: str) -> str | None:
        """Return the text of a settings file; None if it does not exist, cannot be read or is too large."""
        data = self.read_bytes(path, _MAX_SETTINGS_BYTES)
        return None if data is None else data.decode("utf-8", "replace")

    def read_bytes(self, path: str, most: int) -> bytes | None:
        """Return the content of a file; None if it does not exist, cannot be read or is too large."""
        try:
            return self._tree.read_bytes(RepoPath.parse(path), most)
        except (NotFound, Invalid, TooLarge, Denied, Unavailable):
            return None

    def close(self) -> None:
        """Close the databases and end the processes of this repository."""
        if self._processes is not None:
            self._processes.close()
        self._scanner.close()
        self._token_scanner.close()
        self.history.close()
        self.points.close()
