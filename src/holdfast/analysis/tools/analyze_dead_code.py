"""`analyze_dead_code`: code that nothing uses, with confidence and reasons."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool

from holdfast.analysis.dead_code.dead_code_report import DeadCodeReport, dead_code_report
from holdfast.analysis.dead_code.unused_code import LEVELS, Kind, Level
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.analysis.render.sarif import ResultWithFindings
from holdfast.analysis.render.text_layout import MAX_ITEMS_IN_SUMMARY, lines, shown_line, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEAD_CODE_RULES
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel import text
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

Format = Literal["summary", "detailed", "json", "sarif"]

_DEFAULT_FINDINGS = 50
"""Findings in a result by default: a judgement, about a screen of text."""
_MAX_FINDINGS = 1000
"""Findings in a result at most: a judgement, so that it stays below a megabyte."""


class AnalyzeDeadCode(Input):
    """The files to report on, and which findings."""

    project_path: str = Field(
        default=".",
        description="The path to report on, from the repository root; code used outside it is not reported.",
    )
    min_confidence: Level = Field(
        default="medium",
        description="high: nothing uses it, and no other file has its name. low: also what others may use.",
    )
    kinds: list[Kind] | None = Field(default=None, min_length=1, description="Only findings of these kinds.")
    include_tests: StrictBool = Field(
        default=True,
        description="Also list findings in tests and examples; uses in them are found either way.",
    )
    since: arguments.Revision | None = Field(
        default=None, description="Only what was not dead in this commit, branch or tag."
    )
    diff: arguments.ForkRevision = None
    fail_on_violation: StrictBool = Field(
        default=False, description="If there are findings, exit with status 1."
    )
    format: Format = Field(default="summary", description="The format of the text.")
    limit: Integer = count_field(_DEFAULT_FINDINGS, _MAX_FINDINGS, "Maximum number of findings to list.")


class DeadCodeFinding(Output):
    """A definition or statement that nothing uses."""

    kind: Kind
    name: UntrustedText = Field(
        description="Qualified by the enclosing names; for statements, the enclosing function."
    )
    file: UntrustedText
    line: int
    end_line: int
    confidence: float = Field(description="From 0 to 1; high from 0.9, medium from 0.6.")
    level: Level
    reason: UntrustedText = Field(description="What was searched for, and what lowers the confidence.")


class DeadCodeSummary(Output):
    """Counts over all findings, including those not listed."""

    total: int
    by_kind: dict[str, int]
    by_level: dict[str, int]
    files: int = Field(description="Files with findings.")
    dead_lines: int = Field(description="Lines that findings cover, each counted once.")
    lines: int = Field(description="Lines of all files analysed.")
    dead_share: float | None = Field(description="Share of all lines; null if there are none.")


class DeadCode(ResultWithFindings):
    """The code of a project that nothing uses."""

    project_path: UntrustedText
    findings: list[DeadCodeFinding] = Field(description="By confidence, then file and line.")
    left_out: int = Field(description="The number of findings not listed; raise `limit` to see more.")
    summary: DeadCodeSummary
    compared_with: str | None = Field(description="The base commit; null if there is none.")
    method: str = Field(description="How dead code was found.")
    is_error: bool = Field(description="Whether there are findings and `fail_on_violation` is set.")
    format: Format

    @property
    def exit_code(self) -> int:
        """1 if there are findings and `fail_on_violation` is set."""
        return int(self.is_error)


_METHOD = (
    "Reachability by name from entry points, tests, framework conventions and module-level code; class "
    "members are matched by name alone. Names in strings, templates and settings lower the confidence."
)


def _finding_line(finding: DeadCodeFinding) -> str:
    line = f"{finding.level:<6} {finding.file}:{finding.line}  {finding.kind} {finding.name}"
    return text.one_line(line.rstrip(), keep_spaces=True)


def _text(result: DeadCode, _: int) -> str:
    summary, is_detailed = result.summary, result.format == "detailed"
    share = "" if summary.dead_share is None else f" ({summary.dead_share:.1%} of all lines)"
    dead = f"{text.counted(summary.files, 'file')}, {text.counted(summary.dead_lines, 'line')}{share}"
    analysed = f"{result.files_analyzed} of {result.files_discovered} files analysed"
    shown = result.findings if is_detailed else result.findings[:MAX_ITEMS_IN_SUMMARY]
    finding_lines = []
    for finding in shown:
        finding_lines.append(_finding_line(finding))
        if is_detailed:
            finding_lines.append(f"       {text.one_line(finding.reason)}")
    return lines(
        f"Findings: {summary.total} in {dead}; {analysed}.",
        (f"  {name}: {number}" for name, number in (summary.by_level | summary.by_kind).items()),
        skipped_files_line(result),
        finding_lines,
        shown_line(len(shown), summary.total),
    )


@analyze.operation(
    "analyze_dead_code",
    title="Find code that nothing uses",
    effect=Effect.READ,
    command="dead-code",
    example="holdfast analyze dead-code --min-confidence high",
    **arguments.project_options(_text, specified=False, stages=3, sarif=DeadCode.sarif_text),
)
def analyze_dead_code(room: Analysis, args: AnalyzeDeadCode) -> DeadCode:
    """Find functions, methods, classes, variables, imports and statements that nothing uses.

    Every finding has a confidence and a reason. Public names of libraries and what frameworks may call are
    low. With `since` or `diff` only what became dead is listed.
    """
    base = arguments.requested_base(room, args.since, args.diff)
    path = checked_project(room.repository, args.project_path)
    repository = room.scan(Project())  # code may be used outside the project
    scan = room.scan(Project(path)) if path else repository
    confident = dead_code_report(room, repository, scan.files.keys(), base).at_least(args.min_confidence)
    items = [
        item
        for item in confident.most_confident_first
        if (args.kinds is None or item.kind in args.kinds)
        and (args.include_tests or not IN_TESTS.search(item.file))
    ]
    report = DeadCodeReport(tuple(items))
    result = DeadCode(
        **scan.counts.model_dump(),
        project_path=args.project_path,
        findings=[DeadCodeFinding(**vars(item), level=item.level) for item in items[: args.limit]],
        left_out=max(0, len(items) - args.limit),
        summary=_summary(report, sum(record.lines for record in scan.files.values())),
        compared_with=None if base is None else base.commit,
        method=_METHOD,
        is_error=args.fail_on_violation and bool(items),
        format=args.format,
    )
    return result.with_findings(
        report.findings[: arguments.document_limit(args)], rules=DEAD_CODE_RULES.values(), total=len(items)
    )


def _summary(report: DeadCodeReport, lines: int) -> DeadCodeSummary:
    return DeadCodeSummary(
        total=len(report.items),
        by_kind=report.by_kind,
        by_level={level: count for level in LEVELS if (count := report.by_level[level])},
        files=len({item.file for item in report.items}),
        dead_lines=report.dead_lines,
        lines=lines,
        dead_share=report.dead_lines / lines if lines else None,
    )
