"""The report on test coverage, combined from the report files that test runs have written in the usual
places.

Contract: no test is run and nothing is guessed. If several report files cover a source file, the newest one
is used. Coverage is marked as stale if the source file is newer than the report. Without a report there is no
number, but a reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from posixpath import basename
from typing import Any, NamedTuple

from pydantic import Field

from holdfast.analysis.coverage.python_statements import python_statements
from holdfast.analysis.coverage.report_formats import CoverableParts, ReportFile, parse_report
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

REPORT_PATHS = (
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
"""Where report files are searched for, relative to the project's folder and to the root of the repository."""
NO_REPORT = "no report found"


class ReportStat(NamedTuple):
    """The stat of a report file, to detect changes; see `Tree.signature`."""

    inode: int
    size: int
    modified_ns: int


def _percent(covered: int, total: int) -> float | None:
    return round(100 * covered / total, 1) if total else None


@dataclass(frozen=True)
class FileCoverage:
    """What tests could run in a file, and what they ran."""

    parts: CoverableParts = field(repr=False)
    report: str
    """The path of the report file."""
    is_stale: bool
    """Whether the file is newer than the report."""

    @property
    def percent(self) -> float | None:
        """The percentage covered; None if there is nothing to cover."""
        return _percent(self.parts.covered, self.parts.total)


class FoundReport(Output):
    """A report file, and whether it could be used."""

    path: UntrustedText
    kind: str | None = None
    written_at: str
    files: int = Field(default=0, description="Files of the project that it covers.")
    unmatched: int = Field(default=0, description="Files that it covers, but that the project does not have.")
    problem: UntrustedText | None = None


class CoverageSummary(Output):
    """The totals over all report files."""

    percent: float | None
    covered_files: int
    stale_files: int = Field(description="Files that are newer than the report on them.")
    reports: list[FoundReport]
    reason: UntrustedText | None = Field(description="Why there is no number.")


@dataclass(frozen=True)
class CoverageReport(AnalysisReport):
    """The coverage of files, combined from all report files."""

    files: Mapping[str, FileCoverage] = field(default_factory=dict)
    reports: tuple[FoundReport, ...] = ()
    reason_without_reports: str = NO_REPORT

    @property
    def percent(self) -> float | None:
        """The covered percentage of everything that the report files count; None if that is nothing."""
        parts = [file.parts for file in self.files.values()]
        return _percent(sum(part.covered for part in parts), sum(part.total for part in parts))

    @property
    def stale_files(self) -> int:
        return sum(item.is_stale for item in self.files.values())

    @property
    def reason(self) -> str | None:
        """Why there is no number; None if there is one."""
        if self.percent is not None:
            return None
        problems = [f"{report.path}: {report.problem or 'it covers no file here'}" for report in self.reports]
        return "; ".join(problems) or self.reason_without_reports

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        return {
            path: {"covered_lines": file.parts.covered, "coverable_lines": file.parts.total}
            for path, file in self.files.items()
        }

    @property
    def summary(self) -> CoverageSummary:
        return CoverageSummary(
            percent=self.percent,
            covered_files=len(self.files),
            stale_files=self.stale_files,
            reports=list(self.reports),
            reason=self.reason,
        )


def coverage_of(tree: Tree, root: str, project: str, sources: Collection[str]) -> CoverageReport:
    """Return the coverage of `sources`, which are paths from `root`, the root of the repository."""
    files: dict[str, FileCoverage] = {}
    reports: list[FoundReport] = []
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for source in sources:
        by_name[basename(source)].append(source)
    newest_first = sorted(_existing_reports(tree, project), key=lambda item: -item[1].modified_ns)
    for path, stat in newest_first:
        current_call().check()
        written_at = rfc3339_of_seconds(stat.modified_ns // 1_000_000_000)
        found_report = partial(FoundReport, path=path.text, written_at=written_at)
        try:
            if stat.size > LIMITS.coverage_report_bytes:
                raise UnreadableDocument(f"it is larger than {LIMITS.coverage_report_bytes:,} bytes")
            report = parse_report(path.name, tree.read_bytes(path, LIMITS.coverage_report_bytes))
            covered_files, unmatched = _match_files(tree, report, _SourceFinder(root, path, by_name))
        except (Cancelled, DeadlineExceeded):
            raise
        except (UnreadableDocument, HoldfastError) as failure:
            reports.append(found_report(problem=str(failure)))
            continue
        reports.append(found_report(kind=report.kind, files=len(covered_files), unmatched=unmatched))
        for source, parts in covered_files.items():
            source_stat = _stat(tree, source)
            is_stale = source_stat is not None and source_stat.modified_ns > stat.modified_ns
            files.setdefault(source, FileCoverage(parts, path.text, is_stale))
    return CoverageReport(dict(sorted(files.items())), tuple(reports))


def report_stats(tree: Tree, project: str) -> list[tuple[str, ReportStat]]:
    """Return the paths and stats of the report files: while they are equal, so are the reports."""
    return [(path.text, stat) for path, stat in _existing_reports(tree, project)]


def _existing_reports(tree: Tree, project: str) -> Iterator[tuple[RepoPath, ReportStat]]:
    prefixes = dict.fromkeys((f"{project}/" if project else "", ""))
    for prefix in prefixes:
        for path in REPORT_PATHS:
            stat = _stat(tree, prefix + path)
            if stat is not None:
                yield RepoPath.parse(prefix + path), stat


def _stat(tree: Tree, path: str) -> ReportStat | None:
    try:
        signature = tree.signature(RepoPath.parse(path))
    except HoldfastError:
        return None
    return None if signature is None else ReportStat(*signature)


@dataclass(frozen=True)
class _SourceFinder:
    """Finds the source file that a path in a report stands for."""

    root: str
    report: RepoPath
    by_name: Mapping[str, list[str]]
    """The source files by the names of the files."""

    def find(self, reported_path: str) -> str | None:
        """Return the file with that path from the root or the report's folder, else by the end of the path.

        None means that there is no such file, or more than one.
        """
        path = reported_path.replace("\\", "/").removeprefix("./")
        if path.startswith("/"):
            root = self.root.rstrip("/") + "/"
            path = path.removeprefix(root) if path.startswith(root) else path.lstrip("/")
        same_name = self.by_name.get(basename(path), [])
        if path in same_name:
            return path
        in_report_folder = "/".join((*self.report.segments[:-1], path))
        if in_report_folder in same_name:
            return in_report_folder
        # Reports may prepend a module's name, or leave out leading folders.
        in_path = [source for source in same_name if f"/{path}".endswith(f"/{source}")]
        if in_path:
            return max(in_path, key=len)
        below_folders = [source for source in same_name if source.endswith(f"/{path}")]
        return below_folders[0] if len(below_folders) == 1 else None


def _match_files(
    tree: Tree, report: ReportFile, finder: _SourceFinder
) -> tuple[dict[str, CoverableParts], int]:
    """Return the parts of each source file in a report, and the number of files that were not found."""
    covered_files: dict[str, CoverableParts] = {}
    unmatched = 0
    for reported_path in {**report.files, **report.executed}:
        source = finder.find(reported_path)
        parts = None if source is None else _parts_of_file(tree, report, reported_path, source)
        if source is None or parts is None:
            unmatched += 1
        else:
            covered_files[source] = parts
    return covered_files, unmatched


def _parts_of_file(tree: Tree, report: ReportFile, reported_path: str, source: str) -> CoverableParts | None:
    """Return the parts in the report, or those of a Python file of which it has only the executed lines."""
    if reported_path in report.files:
        return report.files[reported_path]
    try:
        content = tree.read_bytes(RepoPath.parse(source), LIMITS.source_file_bytes)
        statements = python_statements(content)
    except (UnreadableDocument, HoldfastError):
        return None
    parts = CoverableParts()
    for statement in statements:
        parts.add(statement.start, not report.executed[reported_path].isdisjoint(statement))
    return parts
