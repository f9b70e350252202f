"""The report on test coverage, combined from the report files that earlier test runs have written.

Contract: no test is run and nothing is guessed. If several report files cover a source file, the newest one
is used. Coverage is marked as stale if the source file is newer than the report file. Without a report file
there is no number, but a reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from posixpath import dirname
from typing import Any, NamedTuple

from pydantic import Field

from holdfast.analysis.coverage.python_statements import python_statements
from holdfast.analysis.coverage.report_formats import CoverableParts, ReportContent, parse_report
from holdfast.analysis.coverage.source_finder import SourceFinder
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
    # Cobertura: coverage.py, cargo-tarpaulin, SimpleCov and Istanbul; the last one is customary
    "coverage.xml",
    "cobertura.xml",
    "coverage/coverage.xml",
    "coverage/cobertura-coverage.xml",
    "target/coverage/cobertura.xml",
    # lcov: customary, then coverage.py and Istanbul
    "lcov.info",
    "coverage.lcov",
    "coverage/lcov.info",
    # the data file of coverage.py
    ".coverage",
    # Go: customary, as `go test -coverprofile` requires a name
    "cover.out",
    "coverage.out",
    "coverage.txt",
    # JaCoCo: customary, then its Maven plugin and Gradle
    "jacoco.xml",
    "target/site/jacoco/jacoco.xml",
    "build/reports/jacoco/test/jacocoTestReport.xml",
)
"""Where report files are searched for, in the project's folder and in the root of the repository: the default
paths of the tools named, in this order, and paths that are only customary (a judgement)."""
NO_REPORT = "no report found"


class FileSignature(NamedTuple):
    """The stat of a file, to detect changes; see `Tree.signature`."""

    inode: int
    size: int
    modified_ns: int


def _percent(covered: int, total: int) -> float | None:
    return round(100 * covered / total, 1) if total else None


@dataclass(frozen=True)
class FileCoverage:
    """What tests could run in a file, and what they ran."""

    parts: CoverableParts = field(repr=False)
    report_path: str
    is_stale: bool
    """Whether the file is newer than the report file."""

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
    covered_files: int = Field(description="Files in a report, also those of which no line was run.")
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
    """Return the coverage of `sources`, the project's source files, as the report files state it.

    `root` is the absolute path of the repository; `project` and `sources` are paths from it.
    """
    coverages: dict[str, FileCoverage] = {}
    found_reports: list[FoundReport] = []
    finder = SourceFinder(root, sources)
    newest_first = sorted(_existing_report_files(tree, project), key=lambda item: -item[1].modified_ns)
    for report_path, stat in newest_first:
        current_call().check()
        written_at = rfc3339_of_seconds(stat.modified_ns // 1_000_000_000)
        found_report = partial(FoundReport, path=report_path.text, written_at=written_at)
        try:
            if stat.size > LIMITS.coverage_report_bytes:
                raise UnreadableDocument(f"it is larger than {LIMITS.coverage_report_bytes:,} bytes")
            data = tree.read_bytes(report_path, LIMITS.coverage_report_bytes)
            content = parse_report(report_path.name, data)
            parts_by_source, unmatched = _match_sources(tree, content, finder, dirname(report_path.text))
        except (Cancelled, DeadlineExceeded):
            raise
        except (UnreadableDocument, HoldfastError) as failure:
            found_reports.append(found_report(problem=str(failure)))
            continue
        found_reports.append(found_report(kind=content.kind, files=len(parts_by_source), unmatched=unmatched))
        for source, parts in parts_by_source.items():
            source_stat = _stat(tree, source)
            is_stale = source_stat is not None and source_stat.modified_ns > stat.modified_ns
            coverages.setdefault(source, FileCoverage(parts, report_path.text, is_stale))
    return CoverageReport(dict(sorted(coverages.items())), tuple(found_reports))


def report_stats(tree: Tree, project: str) -> list[tuple[str, FileSignature]]:
    """Return the paths and stats of the report files: while they are equal, so are the files."""
    return [(path.text, stat) for path, stat in _existing_report_files(tree, project)]


def _existing_report_files(tree: Tree, project: str) -> Iterator[tuple[RepoPath, FileSignature]]:
    folders = dict.fromkeys((f"{project}/" if project else "", ""))  # the project may be the root
    for folder in folders:
        for path in REPORT_PATHS:
            stat = _stat(tree, folder + path)
            if stat is not None:
                yield RepoPath.parse(folder + path), stat


def _stat(tree: Tree, path: str) -> FileSignature | None:
    try:
        signature = tree.signature(RepoPath.parse(path))
    except HoldfastError:  # such as a link that leads out of the repository
        return None
    return None if signature is None else FileSignature(*signature)


def _match_sources(
    tree: Tree, content: ReportContent, finder: SourceFinder, report_folder: str
) -> tuple[dict[str, CoverableParts], int]:
    """Return the parts of each source file in a report file, and the number of its paths without one."""
    parts_by_source: dict[str, CoverableParts] = {}
    unmatched = 0
    for reported_path in (*content.files, *content.executed):
        source = finder.find(reported_path, report_folder)
        parts = None if source is None else _parts_of_source(tree, content, reported_path, source)
        if source is None or parts is None:
            unmatched += 1
        else:
            parts_by_source[source] = parts
    return parts_by_source, unmatched


def _parts_of_source(
    tree: Tree, content: ReportContent, reported_path: str, source: str
) -> CoverableParts | None:
    """Return the parts of a source file, or None if they are not in the report and it cannot be parsed.

    Only coverage.py, which measures Python, reports executed lines alone. The statements that could have
    been run are then those of the source file.
    """
    if reported_path in content.files:
        return content.files[reported_path]
    try:
        statements = python_statements(tree.read_bytes(RepoPath.parse(source), LIMITS.source_file_bytes))
    except (UnreadableDocument, HoldfastError):
        return None
    parts = CoverableParts()
    for statement in statements:
        parts.add(statement.start, not content.executed[reported_path].isdisjoint(statement))
    return parts
