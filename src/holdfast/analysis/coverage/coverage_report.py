"""The report on test coverage, from the files that test runs left in the usual places.

Contract: no test is run and nothing is guessed. If several report files cover a source file, the newest one
counts. A report that is older than the source file is marked as stale. Without a report there is no number,
but a reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import Field

from holdfast.analysis.coverage.python_statements import python_statements
from holdfast.analysis.coverage.report_formats import CoverableParts, ReportFile, parsed
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.foreign_document import UnreadableDocument
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

PLACES = (
    "coverage.xml",
    "cobertura.xml",
    "coverage/coverage.xml",
    "coverage/cobertura-coverage.xml",
    "target/coverage/cobertura.xml",
    "lcov.info",
    "coverage.lcov",
    "coverage/lcov.info",
    ".coverage",
    "cover.out",
    "coverage.out",
    "coverage.txt",
    "jacoco.xml",
    "target/site/jacoco/jacoco.xml",
    "build/reports/jacoco/test/jacocoTestReport.xml",
)
"""Where reports are expected, relative to the project's folder and to the root of the repository."""
NO_REPORT = "no report found"


@dataclass(frozen=True)
class FileCoverage:
    """How much of a file was covered, in lines, or in statements if the report counts these."""

    covered: int
    total: int
    report: str
    is_stale: bool
    """Whether the file is newer than the report."""
    parts: CoverableParts = field(default_factory=CoverableParts, repr=False)
    """Which lines or blocks were covered."""

    @property
    def percent(self) -> float | None:
        """The percentage covered; None if there is nothing to cover."""
        return round(100 * self.covered / self.total, 1) if self.total else None


class FoundReport(Output):
    """A report that was found, and whether it could be used."""

    path: UntrustedText
    kind: str | None = None
    written_at: str
    files: int = Field(default=0, description="Files of the project that it covers.")
    unmatched: int = Field(default=0, description="Files that it covers and that the project does not have.")
    problem: UntrustedText | None = None


class CoverageSummary(Output):
    """The totals of all reports."""

    percent: float | None
    covered_files: int
    stale_files: int = Field(description="Files that are newer than the report on them.")
    reports: list[FoundReport]
    reason: UntrustedText | None = Field(description="Why there is no number.")


@dataclass(frozen=True)
class CoverageReport(AnalysisReport):
    """The coverage of files, combined from all reports."""

    files: Mapping[str, FileCoverage] = field(default_factory=dict)
    reports: tuple[FoundReport, ...] = ()
    without: str = NO_REPORT
    """Why there is no number, if there are no reports."""

    @property
    def percent(self) -> float | None:
        """The percentage covered of everything in the reports."""
        total = sum(item.total for item in self.files.values())
        covered = sum(item.covered for item in self.files.values())
        return round(100 * covered / total, 1) if total else None

    @property
    def stale_files(self) -> int:
        """The number of files that are newer than the report on them."""
        return sum(item.is_stale for item in self.files.values())

    @property
    def reason(self) -> str | None:
        """Why there is no number; None if there is one."""
        if self.percent is not None:
            return None
        problems = [f"{report.path}: {report.problem or 'it covers no file here'}" for report in self.reports]
        return "; ".join(problems) or self.without

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return how much of each file there is to cover, and how much tests covered."""
        return {path: {"covered": one.covered, "coverable": one.total} for path, one in self.files.items()}

    @property
    def summary(self) -> CoverageSummary:
        """Everything but the files."""
        return CoverageSummary(
            percent=self.percent,
            covered_files=len(self.files),
            stale_files=self.stale_files,
            reports=list(self.reports),
            reason=self.reason,
        )


def coverage_of(tree: Tree, root: str, project: str, sources: Collection[str]) -> CoverageReport:
    """Return the coverage of `sources`, paths relative to the root of the repository."""
    found: dict[str, FileCoverage] = {}
    reports: list[FoundReport] = []
    by_name = _by_name(sources)
    for path, (_, size, time_ns) in sorted(_present(tree, project), key=lambda item: -item[1][2]):
        current_call().check()
        made = partial(FoundReport, path=path.text, written_at=rfc3339_of_seconds(time_ns // 1_000_000_000))
        try:
            if size > LIMITS.coverage_report_bytes:
                raise UnreadableDocument(f"it is larger than {LIMITS.coverage_report_bytes:,} bytes")
            report = parsed(path.name, tree.read_bytes(path, LIMITS.coverage_report_bytes))
            covered_files, unmatched = _resolved(tree, report, _SourceFinder(root, path, by_name))
        except (Cancelled, DeadlineExceeded):
            raise
        except (UnreadableDocument, HoldfastError) as failure:
            reports.append(made(problem=str(failure)))
            continue
        reports.append(made(kind=report.kind, files=len(covered_files), unmatched=unmatched))
        for source, parts in covered_files.items():
            seen = _stat(tree, source)
            is_stale = seen is not None and seen[2] > time_ns
            found.setdefault(source, FileCoverage(parts.covered, parts.total, path.text, is_stale, parts))
    return CoverageReport(dict(sorted(found.items())), tuple(reports))


def reports_seen(tree: Tree, project: str) -> list[tuple[str, tuple[int, int, int]]]:
    """Return the stats of the reports: while these are equal, so is the coverage."""
    return [(path.text, stat) for path, stat in _present(tree, project)]


def _present(tree: Tree, project: str) -> Iterator[tuple[RepoPath, tuple[int, int, int]]]:
    prefixes = dict.fromkeys((f"{project}/" if project else "", ""))
    for place in (f"{prefix}{place}" for prefix in prefixes for place in PLACES):
        path = RepoPath.parse(place)
        signature = _stat(tree, place)
        if signature is not None:
            yield path, signature


def _stat(tree: Tree, path: str) -> tuple[int, int, int] | None:
    """Return inode, size and modification time of a file; None if it cannot be read."""
    try:
        return tree.signature(RepoPath.parse(path))
    except HoldfastError:
        return None


def _by_name(sources: Collection[str]) -> Mapping[str, list[str]]:
    named: defaultdict[str, list[str]] = defaultdict(list)
    for source in sources:
        named[source.rpartition("/")[2]].append(source)
    return named


@dataclass(frozen=True)
class _SourceFinder:
    """Finds the source file that a path in a report means."""

    root: str
    report: RepoPath
    by_name: Mapping[str, list[str]]

    def find(self, written: str) -> str | None:
        """Return the file with that path, or the one with the longest common suffix, if it is unambiguous."""
        path = written.replace("\\", "/").removeprefix("./")
        if path.startswith("/"):
            inside = path.removeprefix(self.root.rstrip("/") + "/")
            path = inside if inside != path else path.lstrip("/")
        named = self.by_name.get(path.rpartition("/")[2], [])
        if path in named:
            return path
        beside = "/".join((*self.report.segments[:-1], path))
        if beside in named:
            return beside
        return self._by_end(path, named)

    def _by_end(self, path: str, named: list[str]) -> str | None:
        """Compare path suffixes: reports may prepend a module's name or leave out leading folders."""
        longer = [name for name in named if f"/{path}".endswith(f"/{name}")]
        if longer:
            return max(longer, key=len)
        shorter = [name for name in named if name.endswith(f"/{path}")]
        return shorter[0] if len(shorter) == 1 else None


def _resolved(tree: Tree, report: ReportFile, finder: _SourceFinder) -> tuple[dict[str, CoverableParts], int]:
    covered_files: dict[str, CoverableParts] = {}
    unmatched = 0
    for written in {**report.files, **report.executed}:
        source = finder.find(written)
        parts = None if source is None else _parts(tree, report, written, source)
        if source is None or parts is None:
            unmatched += 1
        else:
            covered_files[source] = parts
    return covered_files, unmatched


def _parts(tree: Tree, report: ReportFile, written: str, source: str) -> CoverableParts | None:
    if written in report.files:
        return report.files[written]
    try:
        content = tree.read_bytes(RepoPath.parse(source), LIMITS.source_file_bytes)
        statements = python_statements(content)
    except (UnreadableDocument, HoldfastError):
        return None
    parts = CoverableParts()
    for statement in statements:
        parts.add(statement.start, not report.executed[written].isdisjoint(statement))
    return parts
