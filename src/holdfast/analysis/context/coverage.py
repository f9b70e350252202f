"""How much of each file tests have run, from the reports that test runs left in the usual places.

Contract: nothing is run and nothing is guessed. Where several reports speak of a file the newest counts. A
report that is older than the file is said to be stale. No report means no number, and a reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from pydantic import Field

from holdfast.analysis.context.coverage_reports import Parts, Report, parsed
from holdfast.analysis.context.python_statements import python_statements
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
"""Where reports are looked for, from the project's folder and from the root of the repository."""
NO_REPORT = "no report found"


@dataclass(frozen=True)
class FileCoverage:
    """How much of a file was run: of its lines, or of its statements where the report counts these."""

    covered: int
    total: int
    report: str
    is_stale: bool
    """Whether the file is newer than the report."""
    parts: Parts = field(default_factory=Parts, repr=False)
    """What of it was run and what was not."""

    @property
    def percent(self) -> float | None:
        """Return the share that was run; None where there is nothing to run."""
        return round(100 * self.covered / self.total, 1) if self.total else None


class FoundReport(Output):
    """A report of a test run that was found, and what became of it."""

    path: UntrustedText
    kind: str | None = None
    written_at: str
    files: int = Field(default=0, description="Files of the project that it speaks of.")
    unmatched: int = Field(
        default=0, description="Files that it speaks of and that the project does not have."
    )
    problem: UntrustedText | None = None


class CoverageSummary(Output):
    """What reports of test runs say."""

    percent: float | None
    covered_files: int
    stale_files: int = Field(description="Files that are newer than the report on them.")
    reports: list[FoundReport]
    reason: UntrustedText | None = Field(description="Why there is no number.")


@dataclass(frozen=True)
class Coverage:
    """What the reports say together."""

    files: Mapping[str, FileCoverage] = field(default_factory=dict)
    reports: tuple[FoundReport, ...] = ()
    without: str = NO_REPORT
    """Why there is no number where there are no reports."""

    @property
    def percent(self) -> float | None:
        """Return the share of everything that the reports speak of."""
        total = sum(item.total for item in self.files.values())
        covered = sum(item.covered for item in self.files.values())
        return round(100 * covered / total, 1) if total else None

    @property
    def stale_files(self) -> int:
        """Return how many files are newer than what is said of them."""
        return sum(item.is_stale for item in self.files.values())

    @property
    def reason(self) -> str | None:
        """Return why there is no number, or None where there is one."""
        if self.percent is not None:
            return None
        problems = [
            f"{report.path}: {report.problem or 'it speaks of no file here'}" for report in self.reports
        ]
        return "; ".join(problems) or self.without

    @property
    def summary(self) -> CoverageSummary:
        """Return all of it but the files."""
        return CoverageSummary(
            percent=self.percent,
            covered_files=len(self.files),
            stale_files=self.stale_files,
            reports=list(self.reports),
            reason=self.reason,
        )


def coverage_of(tree: Tree, root: str, project: str, sources: Collection[str]) -> Coverage:
    """Return what reports say about `sources`, paths from the root of the repository."""
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
            told, unmatched = _resolved(tree, report, _Places(root, path, by_name))
        except (Cancelled, DeadlineExceeded):
            raise
        except (UnreadableDocument, HoldfastError) as failure:
            reports.append(made(problem=str(failure)))
            continue
        reports.append(made(kind=report.kind, files=len(told), unmatched=unmatched))
        for source, parts in told.items():
            seen = _look(tree, source)
            is_stale = seen is not None and seen[2] > time_ns
            found.setdefault(source, FileCoverage(parts.covered, parts.total, path.text, is_stale, parts))
    return Coverage(dict(sorted(found.items())), tuple(reports))


def reports_seen(tree: Tree, project: str) -> list[tuple[str, tuple[int, int, int]]]:
    """Return how the reports look that are there: while they look alike they say the same."""
    return [(path.text, look) for path, look in _present(tree, project)]


def _present(tree: Tree, project: str) -> Iterator[tuple[RepoPath, tuple[int, int, int]]]:
    prefixes = dict.fromkeys((f"{project}/" if project else "", ""))
    for place in (f"{prefix}{place}" for prefix in prefixes for place in PLACES):
        path = RepoPath.parse(place)
        signature = _look(tree, place)
        if signature is not None:
            yield path, signature


def _look(tree: Tree, path: str) -> tuple[int, int, int] | None:
    """Return inode, size and time of a file; None also where nobody lets us look."""
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
class _Places:
    """Finds the file that a report means."""

    root: str
    report: RepoPath
    by_name: Mapping[str, list[str]]

    def find(self, written: str) -> str | None:
        """Return the file, if exactly one fits: the path itself, or the one that shares the longest end."""
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
        """Compare from the end: reports have a module's name in front, or leave out folders there."""
        longer = [name for name in named if f"/{path}".endswith(f"/{name}")]
        if longer:
            return max(longer, key=len)
        shorter = [name for name in named if name.endswith(f"/{path}")]
        return shorter[0] if len(shorter) == 1 else None


def _resolved(tree: Tree, report: Report, places: _Places) -> tuple[dict[str, Parts], int]:
    told: dict[str, Parts] = {}
    unmatched = 0
    for written in {**report.files, **report.executed}:
        source = places.find(written)
        parts = None if source is None else _parts(tree, report, written, source)
        if source is None or parts is None:
            unmatched += 1
        else:
            told[source] = parts
    return told, unmatched


def _parts(tree: Tree, report: Report, written: str, source: str) -> Parts | None:
    if written in report.files:
        return report.files[written]
    try:
        content = tree.read_bytes(RepoPath.parse(source), LIMITS.source_file_bytes)
        statements = python_statements(content)
    except (UnreadableDocument, HoldfastError):
        return None
    parts = Parts()
    for statement in statements:
        parts.add(statement.start, not report.executed[written].isdisjoint(statement))
    return parts
