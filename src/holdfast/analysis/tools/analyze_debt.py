"""`analyze_debt`: self-admitted technical debt in comments, with its age."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.debt.debt_item import Certainty, DebtItem, probability_threshold
from holdfast.analysis.debt.debt_report import debt_finding, debt_report
from holdfast.analysis.debt.marker import SEVERITIES, Category, Severity
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.render.sarif import ResultWithFindings
from holdfast.analysis.render.text_layout import (
    MAX_ITEMS_IN_SUMMARY,
    lines,
    shown_line,
    skipped_files_line,
    tally,
)
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEBT_RULES
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.history.line_ages import Age, Ages, line_ages
from holdfast.storage.git.project_files import checked_project

AgesOf = Literal["certain", "all", "none"]
DebtFormat = Literal["summary", "detailed", "json", "sarif"]
_DEFAULT_ITEMS = 50
"""Items in a result by default: a judgement, about a screen of text."""
_NOT_REQUESTED = "not requested"
_METHOD = (
    "Certain: a comment line starts with a marker such as TODO or FIXME, which sets category and severity."
    " Probable: a linear model, trained on labelled comments of seven projects, classifies it as debt; a"
    " third to a half of these are, see docs/accuracy.md. Strings, documentation without a marker, licences"
    " and commented-out code are ignored. The age is that of the last change to the line."
)


class AnalyzeDebt(arguments.ProjectInput):
    """The files to analyze, and which debt to list."""

    include_probable: StrictBool = Field(
        default=True, description="Also list comments without a marker that the model classifies as debt."
    )
    min_probability: StrictFloat | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The minimum probability of probable items; the default balances precision and recall.",
    )
    min_severity: Severity = Field(
        default="Low", description="Only this severity or higher; probable items are Low."
    )
    ages: AgesOf = Field(
        default="certain", description="Which items get an age; looking up `all` is slow with a long history."
    )
    since: arguments.Revision | None = Field(
        default=None,
        description="Only items that the same file did not contain in this commit, branch or tag.",
    )
    diff: arguments.ForkRevision = None
    format: DebtFormat = Field(default="summary", description="The format of the text.")
    limit: Integer = count_field(
        _DEFAULT_ITEMS, LIMITS.debt_items, "Maximum number of items, the most severe first."
    )


class FoundDebt(Output):
    """A debt item in a comment."""

    category: Category
    severity: Severity
    certainty: Certainty
    marker: str | None = optional("For certain items.")
    probability: float | None = optional("For probable items.")
    text: UntrustedText
    file: UntrustedText
    line: int
    column: int
    age_days: int | None = Field(description="Whole days since the line was last changed.")
    committed_at: str | None = Field(description="When the line was last changed.")
    age_unknown: str | None = optional("Why the age is not known.")


class OldestDebt(Output):
    """The item on the line that has not been changed for the longest time."""

    file: UntrustedText
    line: int
    age_days: int


class DebtSummary(Output):
    """Counts over all items, including those not listed."""

    total: int
    by_certainty: dict[Certainty, int]
    by_severity: dict[Severity, int]
    by_category: dict[Category, int]
    files_with_debt: int
    average_age_days: float | None = Field(description="Over the items with a known age; null if none.")
    oldest: OldestDebt | None
    ages_unknown: dict[str, int] = Field(description="The number of unknown ages, by reason.")


class Debt(ResultWithFindings):
    """The self-admitted debt of a project."""

    format: DebtFormat
    project_path: UntrustedText
    compared_with: str | None = Field(description="The base commit; null if there is none.")
    summary: DebtSummary
    items: list[FoundDebt] = Field(description="`summary.total` is the total number.")
    threshold: float | None = Field(description="The minimum probability; null without probable items.")
    method: str


def _text(result: Debt, width: int) -> str:
    summary = result.summary
    shown = result.items if result.format == "detailed" else result.items[:MAX_ITEMS_IN_SUMMARY]
    return lines(
        f"Debt: {tally(summary.by_certainty) or 'none'}.",
        f"Files: {summary.files_with_debt} of {result.files_analyzed} contain debt.",
        f"{tally(summary.by_severity)}; {tally(summary.by_category)}." if summary.total else "",
        f"Only what is new since {result.compared_with}." if result.compared_with else "",
        skipped_files_line(result),
        _age_lines(summary),
        table([_cells(item) for item in shown], width, flexible=(5, 4)) if shown else "",
        shown_line(len(shown), summary.total),
        result.method,
    )


def _age_lines(summary: DebtSummary) -> list[str]:
    lines = []
    if summary.oldest is not None:
        oldest = f"{summary.oldest.age_days} ({summary.oldest.file}:{summary.oldest.line})"
        lines.append(f"Age in days: {summary.average_age_days:g} on average, the oldest {oldest}.")
    unknown = {reason: count for reason, count in summary.ages_unknown.items() if reason != _NOT_REQUESTED}
    if unknown:
        lines.append(f"Age unknown: {tally(unknown)}.")
    return lines


def _cells(item: FoundDebt) -> tuple[str, ...]:
    evidence = item.marker or f"{item.probability:.2f}"
    age = "" if item.age_days is None else f"{item.age_days} d"
    text = " ".join(item.text.split())
    return item.severity, item.category, evidence, age, f"{item.file}:{item.line}", text


def _finding_with_age(item: DebtItem, shown: FoundDebt) -> CodeFinding:
    finding = debt_finding(item)
    age = {"age_days": shown.age_days, "committed_at": shown.committed_at}
    return replace(finding, properties=finding.properties | age)  # type: ignore[operator]


def _found_debt(item: DebtItem, age: Age | str) -> FoundDebt:
    if isinstance(age, str):
        return FoundDebt(**vars(item), age_days=None, committed_at=None, age_unknown=age)
    return FoundDebt(**vars(item), age_days=age.days, committed_at=rfc3339_of_seconds(age.time))


def _item_ages(room: Analysis, items: Sequence[DebtItem], ages_of: AgesOf) -> Ages:
    """Return, by file and line, the age of each item or why it is not known."""
    ages: Ages = {}
    lines: dict[str, list[int]] = {}
    for item in items:
        ages.setdefault(item.file, {})[item.line] = _NOT_REQUESTED
        if ages_of in ("all", item.certainty):
            lines.setdefault(item.file, []).append(item.line)
    for path, known_ages in line_ages(room.repository, lines, room.clock().timestamp()).items():
        ages[path] |= known_ages
    return ages


def _summary(items: Sequence[DebtItem], ages: Ages) -> DebtSummary:
    aged_items = [(item, ages[item.file][item.line]) for item in items]
    known = [(age, item) for item, age in aged_items if not isinstance(age, str)]
    oldest = None
    if known:
        age, item = min(known, key=lambda pair: (pair[0].time, pair[1].order))
        oldest = OldestDebt(file=item.file, line=item.line, age_days=age.days)
    certainties = Counter(item.certainty for item in items)
    severities = Counter(item.severity for item in items)
    categories = Counter(item.category for item in items)
    reasons = Counter(age for _, age in aged_items if isinstance(age, str))
    return DebtSummary(
        total=len(items),
        by_certainty={name: certainties[name] for name in get_args(Certainty)},
        by_severity={name: severities[name] for name in SEVERITIES},
        by_category={name: categories[name] for name in get_args(Category)},
        files_with_debt=len({item.file for item in items}),
        average_age_days=round(sum(age.days for age, _ in known) / len(known), 1) if known else None,
        oldest=oldest,
        ages_unknown=dict(sorted(reasons.items())),
    )


def _threshold(args: AnalyzeDebt) -> float | None:
    if args.include_probable:
        return probability_threshold(args.min_probability)
    if args.min_probability is not None:
        raise InvalidArguments(
            "`min_probability` applies to probable items, which `include_probable` excludes.",
            hint="Use one of the two.",
        )
    return None


@analyze.operation(
    "analyze_debt",
    title="Analyze debt in comments",
    effect=Effect.READ,
    command="debt",
    example="holdfast analyze debt src --min-severity Medium",
    **arguments.project_options(_text, specified=False, stages=3, sarif=Debt.sarif_text),
)
def analyze_debt(room: Analysis, args: AnalyzeDebt) -> Debt:
    """List self-admitted technical debt: TODO, FIXME and the like, and comments that read like debt.

    Comments that start with a marker are certain; those that a model classifies as debt are probable. Each
    item has its location, category, severity and age.
    """
    project = Project(checked_project(room.repository, args.project_path))
    threshold, base = _threshold(args), arguments.requested_base(room, args.since, args.diff)
    scan = room.scan(project, with_names=False)
    report = debt_report(
        room, scan, base, probable=args.include_probable, min_probability=args.min_probability
    )
    severities = SEVERITIES[: SEVERITIES.index(args.min_severity) + 1]
    items = [item for item in report.items if item.severity in severities]
    ages = _item_ages(room, items, args.ages)
    found = [_found_debt(item, ages[item.file][item.line]) for item in items]
    result = Debt(
        **scan.counts.result_fields(project.path, args.format),
        compared_with=None if base is None else base.commit,
        summary=_summary(items, ages),
        items=found[: args.limit],
        threshold=threshold,
        method=_METHOD,
    )
    return result.with_findings(
        map(_finding_with_age, items[: arguments.document_limit(args)], found),
        rules=DEBT_RULES.values(),
        total=len(items),
        properties={"summary": result.summary.wire()},
        notes=[_METHOD],
    )
