"""The room of the analyses: one repository, its scans and the results cached for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.analysis.churn.history import History
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
from holdfast.storage.git.repository import Repository

if TYPE_CHECKING:
    from holdfast.analysis.graph.resolution import Resolution
    from holdfast.syntax.record import Record

_SETTINGS_BYTES = 4 * 2**20
"""The largest settings file that is read: a chosen bound, equal to that of source files."""
_FILES_PER_REPORT = 100
_ANSWERS = 32
"""Results kept in memory: a chosen bound, above the number of different computations over one scan."""

Answer = TypeVar("Answer")


class Analysis:
    """The scanners, caches and history that the analyses of one repository share."""

    def __init__(self, repository: Repository, clock: Clock = utc_now, *, workers: int | None = None) -> None:
        """`workers` is the maximum number of processes that read files, by default one for each core."""
        self.repository = repository
        self._workers = workers
        self.clock = clock
        self.history = History(repository)
        self.points = PointStore(repository)
        self._scanner = Scanner(repository, RECORDS)
        self._token_scanner = Scanner(repository, TOKENS)
        self._product = NUMBERS
        self._tree = Tree(repository)
        self._answers: VersionedCache[Any] = VersionedCache(_ANSWERS)
        self._by_file: dict[str, dict[str, tuple[Record, Any]]] = {}

    def scan(
        self,
        project: Project,
        *,
        strategy: CacheStrategy = "normal",
        workers: int | None = None,
        names: bool = True,
    ) -> Scan:
        """Return the records of a project's files.

        Reading takes half the time without `names`, unless they are cached already.
        """
        self._product = RECORDS if names else self._product
        return self._scanner.scan(project, strategy, workers or self._workers, self._product)

    def scan_commit(self, commit: str, project: Project) -> Scan:
        """Return the records of a project's files in a commit, read from git's objects."""
        return self._scanner.scan_commit(project, commit)

    def scan_tokens(
        self, project: Project, *, workers: int | None = None, stats: FileStats | None = None
    ) -> FileScan[TokenStream]:
        """Return the tokens of the files that `scan` returns, in far less time: there is no parsing."""
        return self._token_scanner.scan(project, "normal", workers or self._workers, stats=stats)

    def cached(self, question: str, scan: FileScan[object], answer: Callable[[], Answer]) -> Answer:
        """Return a result computed from a scan; it is computed again only if the scan changed."""
        known: Answer | None = self._answers.get(question, scan.version)
        return self._answers.put(question, scan.version, answer()) if known is None else known

    def cached_by_file(
        self, question: str, scan: Scan, answer: Callable[[str, Record], Answer]
    ) -> dict[str, Answer]:
        """Return a result for each file, computed from it alone and again only if it changed."""
        known, call = self._by_file.get(question, {}), current_call()
        found: dict[str, tuple[Record, Answer]] = {}
        for path, record in scan.files.items():
            if len(found) % _FILES_PER_REPORT == 0:
                call.progress(len(found), len(scan.files), "files measured")
            before = known.get(path)
            if before is None or before[0] is not record:
                before = record, answer(path, record)
            found[path] = before
        self._by_file[question] = found
        return {path: result for path, (_, result) in found.items()}

    def resolution(self, scan: Scan) -> Resolution:
        """Return the resolution of a scan's imports and names."""
        from holdfast.analysis.graph.resolution import Resolution

        return self.cached("resolution", scan, lambda: Resolution(scan, self.read_text))

    def read_text(self, path: str) -> str | None:
        """Return the text of a settings file; None if it does not exist, cannot be read or is too large."""
        try:
            data = self._tree.read_bytes(RepoPath.parse(path), _SETTINGS_BYTES)
        except (NotFound, Invalid, TooLarge, Denied, Unavailable):
            return None
        return data.decode("utf-8", "replace")

    def close(self) -> None:
        """Close the databases and end the git processes of this repository."""
        self._scanner.close()
        self._token_scanner.close()
        self.history.close()
        self.points.close()
