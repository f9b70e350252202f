"""`analyze_dead_code`: what nothing uses, how sure that is, and what was looked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Literal

from pydantic import Field, StrictBool

from holdfast.analysis.dead_code.analyser import became_dead
from holdfast.analysis.dead_code.interfaces import IN_TESTS
from holdfast.analysis.dead_code.unused_code import LEAST, LEVELS, Finding, Kind, Level
from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.render.rules import DEAD_CODE_RULES
from holdfast.analysis.render.sarif import Finding as SarifFinding
from holdfast.analysis.render.sarif import sarif, sarif_text
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.tools.arguments import base_of
from holdfast.analysis.toolset import analyze
from holdfast.kernel import text
from holdfast.kernel.models import Input, Integer, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

Format = Literal["summary", "detailed", "json", "sarif"]

_SHOWN = 50
_MOST = 1000
_IN_SUMMARY = 10
_SARIF_LEVELS: dict[Level, Literal["warning", "note"]] = {"high": "warning", "medium": "note", "low": "note"}


class AnalyzeDeadCode(Input):
    """Where to look, and for what."""

    project_path: str = Field(
        default=".",
        description="What to report on, from the root of the repository; uses elsewhere in it count.",
    )
    min_confidence: Level = Field(
        default="medium",
        description="high: the name occurs nowhere else. low: also what frameworks or others may use.",
    )
    kinds: list[Kind] | None = Field(default=None, min_length=1, description="Only findings of these kinds.")
    include_tests: StrictBool = Field(
        default=True, description="Also list findings in tests and examples; their uses count either way."
    )
    since: arguments.Revision | None = Field(
        default=None, description="Only what was not dead yet in this commit, branch or tag."
    )
    diff: arguments.Fork = None
    format: Format = Field(default="summary", description="How the words of the result look.")
    limit: Integer = Field(default=_SHOWN, ge=1, le=_MOST, description="How many findings to list at most.")


class DeadCodeFinding(Output):
    """Something that nothing uses."""

    kind: Kind
    name: UntrustedText = Field(
        description="From the outermost name on; of statements that of their function."
    )
    file: UntrustedText
    line: int
    end_line: int
    confidence: float = Field(description="From 0 to 1; high from 0.9, medium from 0.6.")
    level: Level
    reason: UntrustedText = Field(description="What was looked for, and what keeps it from being surer.")


class DeadCodeSummary(Output):
    """All findings, also those that are not listed, in numbers."""

    total: int
    by_kind: dict[str, int]
    by_level: dict[str, int]
    files: int = Field(description="Files with findings.")
    dead_lines: int = Field(description="Lines in the ranges of findings, each once.")
    lines: int = Field(description="Lines of all files analysed.")
    dead_share: float | None = Field(description="Of all lines; null where there are none.")


class DeadCode(FileCounts):
    """What nothing uses."""

    project_path: UntrustedText
    findings: list[DeadCodeFinding] = Field(description="By confidence, then file and line.")
    left_out: int = Field(description="How many more findings there are; `limit` lists more.")
    summary: DeadCodeSummary
    compared_with: str | None = Field(description="The commit since which this is dead; null without one.")
    method: str = Field(description="How it was found out.")
    format: Format

    @property
    def exit_code(self) -> int:
        """Return the status of a command: 1 where something became dead since a commit."""
        return int(self.compared_with is not None and self.summary.total > 0)


_METHOD = (
    "Reachability over names from entry points, tests, framework conventions and what runs when files are "
    "loaded; members of classes by name. Names in strings, templates and settings lower the confidence."
)


def _line(one: DeadCodeFinding) -> str:
    return text.one_line(
        f"{one.level:<6} {one.file}:{one.line}  {one.kind} {one.name}".rstrip(), keep_spaces=True
    )


def _words(result: DeadCode) -> str:
    if result.format == "json":
        return result.model_dump_json(by_alias=True, indent=2)
    if result.format == "sarif":
        return _sarif(result)
    summary = result.summary
    share = "" if summary.dead_share is None else f" ({summary.dead_share:.1%} of all lines)"
    dead = f"{text.counted(summary.files, 'file')}, {text.counted(summary.dead_lines, 'line')}{share}"
    found = f"Findings: {summary.total} in {dead}"
    head = [
        f"{found}; {result.files_analyzed} of {result.files_discovered} files analysed.",
        *(f"  {name}: {number}" for name, number in (summary.by_level | summary.by_kind).items()),
    ]
    shown = result.findings if result.format == "detailed" else result.findings[:_IN_SUMMARY]
    lines = [_line(one) for one in shown]
    if result.format == "detailed":
        lines = [
            f"{line}\n       {text.one_line(one.reason)}" for line, one in zip(lines, shown, strict=True)
        ]
    rest = f"Shown: {len(shown)} of {summary.total}; the detailed format and a higher limit show more."
    return "\n".join([*head, "", *lines, *([rest] if len(shown) < summary.total else [])]).rstrip()


def _sarif(result: DeadCode) -> str:
    findings = [
        SarifFinding(
            DEAD_CODE_RULES[one.kind].id,
            _SARIF_LEVELS[one.level],
            f"Unused {one.kind} {one.name}. {one.reason}" if one.name else one.reason,
            one.file,
            one.line,
            one.end_line,
            thing=one.name,
            properties={"confidence": one.confidence},
        )
        for one in result.findings
    ]
    notes = [f"{result.left_out} findings were left out; a higher limit has more."] if result.left_out else []
    return sarif_text(sarif(DEAD_CODE_RULES.values(), findings, notes=notes))


@analyze.operation(
    "analyze_dead_code",
    title="Find code that nothing uses",
    effect=Effect.READ,
    command="dead-code",
    example="holdfast analyze dead-code --min-confidence high",
    **arguments.IN_PROJECT | {"text": _words},
)
def analyze_dead_code(room: Analysis, args: AnalyzeDeadCode) -> DeadCode:
    """Find functions, methods, classes, variables, imports and statements that nothing uses.

    Every finding has a confidence and the reason for it. Public names of libraries and what frameworks may
    call are low; a name that occurs nowhere else is high. With `since` or `diff` only what became dead is
    listed, and the command ends with status 1 where something did.
    """
    base = base_of(room, args.since, args.diff)
    path = checked_project(room.repository, args.project_path)
    everything = room.scan(Project())  # what is used elsewhere is used
    scan = room.scan(Project(path)) if path else everything
    found = [
        one
        for one in became_dead(room, everything, base)
        if one.file in scan.files
        and one.confidence >= LEAST[args.min_confidence]
        and (args.kinds is None or one.kind in args.kinds)
        and (args.include_tests or not IN_TESTS.search(one.file))
    ]
    found.sort(key=lambda one: -one.confidence)  # stable: by file and line within
    lines = sum(record.lines for record in scan.files.values())
    return DeadCode(
        **scan.counts.model_dump(),
        project_path=args.project_path,
        findings=[_facts(one) for one in found[: args.limit]],
        left_out=max(0, len(found) - args.limit),
        summary=_summary(found, lines),
        compared_with=None if base is None else base.commit,
        method=_METHOD,
        format=args.format,
    )


def _facts(one: Finding) -> DeadCodeFinding:
    return DeadCodeFinding(**{**one.__dict__, "level": one.level})


def _summary(found: list[Finding], lines: int) -> DeadCodeSummary:
    kinds, levels = Counter(one.kind for one in found), Counter(one.level for one in found)
    dead = dead_lines(found)
    return DeadCodeSummary(
        total=len(found),
        by_kind=dict(sorted(kinds.items())),
        by_level={level: levels[level] for level in LEVELS if levels[level]},
        files=len({one.file for one in found}),
        dead_lines=dead,
        lines=lines,
        dead_share=dead / lines if lines else None,
    )


def dead_lines(found: Iterable[Finding]) -> int:
    """Return how many lines findings cover, each line once."""
    covered: dict[str, set[int]] = defaultdict(set)
    for one in found:
        covered[one.file].update(range(one.line, one.end_line + 1))
    return sum(map(len, covered.values()))
