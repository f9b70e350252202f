"""`analyze_debt`: what comments admit to be unfinished, wrong or makeshift, and for how long they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.debt.debt_item import Certainty, DebtItem, least_probability
from holdfast.analysis.debt.debt_report import debt_finding, debt_report
from holdfast.analysis.debt.marker import SEVERITIES, Category, Severity
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.render.sarif import SarifResult
from holdfast.analysis.render.text_layout import lines, shown_of, skipped_files, tally
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
_ITEMS = 50
_SHOWN = 10
_NOT_ASKED = "not asked for"
_METHOD = (
    "Certain: a line of a comment opens with a marker such as TODO or FIXME, from which category and severity"
    " follow. Probable: a linear model, trained on labelled comments of seven projects, takes it for debt;"
    " a third to a half of these are, see docs/accuracy.md. Strings, documentation without a marker, licences"
    " and code that is commented out do not count. An age is that of the last change of the line."
)


class AnalyzeDebt(arguments.ProjectInput):
    """Which files, and which debt."""

    include_probable: StrictBool = Field(
        default=True, description="Also what has no marker and the model takes for debt."
    )
    min_probability: StrictFloat | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How probable that has to be; if not given, where precision and recall are balanced.",
    )
    min_severity: Severity = Field(
        default="Low", description="Only as grave as this or graver; what is probable is Low."
    )
    ages: AgesOf = Field(
        default="certain",
        description="Which items to look up the age of; that of probable ones takes long in a long history.",
    )
    since: arguments.Revision | None = Field(
        default=None, description="Only what the same file did not admit in this commit, branch or tag."
    )
    diff: arguments.Fork = None
    format: DebtFormat = Field(default="summary", description="How the text is written.")
    limit: Integer = count_field(_ITEMS, LIMITS.debt_items, "Most items to return, the gravest first.")


class FoundDebt(Output):
    """A debt that a comment admits."""

    category: Category
    severity: Severity
    certainty: Certainty
    marker: str | None = optional("Of what is certain.")
    probability: float | None = optional("Of what is probable.")
    text: UntrustedText
    file: UntrustedText
    line: int
    column: int
    age_days: int | None = Field(description="Whole days since the line was last changed.")
    committed_at: str | None = Field(description="When that was.")
    age_unknown: str | None = optional("Why the age is not known.")


class OldestDebt(Output):
    """The item whose line is unchanged for longest."""

    file: UntrustedText
    line: int
    age_days: int


class DebtSummary(Output):
    """Everything that was found, also what is not listed."""

    total: int
    by_certainty: dict[Certainty, int]
    by_severity: dict[Severity, int]
    by_category: dict[Category, int]
    files_with_debt: int
    average_age_days: float | None = Field(description="Of the items whose age is known; null where none is.")
    oldest: OldestDebt | None
    ages_unknown: dict[str, int] = Field(description="How many ages are not known, by the reason.")


class Debt(SarifResult):
    """The debt that the comments of a project admit."""

    format: DebtFormat
    project_path: UntrustedText
    compared_with: str | None = Field(description="The commit; null where everything is counted.")
    summary: DebtSummary
    items: list[FoundDebt] = Field(description="`summary.total` says how many there are altogether.")
    threshold: float | None = Field(description="The least probability; null where only markers count.")
    method: str


def _text(result: Debt, width: int) -> str:
    summary = result.summary
    shown = result.items if result.format == "detailed" else result.items[:_SHOWN]
    return lines(
        f"Debt: {tally(summary.by_certainty) or 'none'}.",
        f"Files: {summary.files_with_debt} of {result.files_analyzed} admit some.",
        f"{tally(summary.by_severity)}; {tally(summary.by_category)}." if summary.total else "",
        f"Only what is new since {result.compared_with}." if result.compared_with else "",
        skipped_files(result),
        _age_lines(summary),
        table([_cells(item) for item in shown], width, flexible=(5, 4)) if shown else "",
        shown_of(len(shown), summary.total),
        result.method,
    )


def _age_lines(summary: DebtSummary) -> list[str]:
    found = []
    if summary.oldest is not None:
        oldest = f"{summary.oldest.age_days} ({summary.oldest.file}:{summary.oldest.line})"
        found.append(f"Age in days: {summary.average_age_days:g} on average, the oldest {oldest}.")
    unknown = {reason: count for reason, count in summary.ages_unknown.items() if reason != _NOT_ASKED}
    return [*found, *([f"Age unknown: {tally(unknown)}."] if unknown else [])]


def _cells(item: FoundDebt) -> tuple[str, ...]:
    evidence = item.marker or f"{item.probability:.2f}"
    age = "" if item.age_days is None else f"{item.age_days} d"
    text = " ".join(item.text.split())
    return item.severity, item.category, evidence, age, f"{item.file}:{item.line}", text


def _with_age(item: DebtItem, shown: FoundDebt) -> CodeFinding:
    finding = debt_finding(item)
    age = {"age_days": shown.age_days, "committed_at": shown.committed_at}
    return replace(finding, properties=finding.properties | age)  # type: ignore[operator]


def _found(item: DebtItem, age: Age | str) -> FoundDebt:
    if isinstance(age, str):
        return FoundDebt(**vars(item), age_days=None, committed_at=None, age_unknown=age)
    return FoundDebt(**vars(item), age_days=age.days, committed_at=rfc3339_of_seconds(age.time))


def _ages(room: Analysis, items: Sequence[DebtItem], whose: AgesOf) -> Ages:
    ages: Ages = {}
    wanted: dict[str, list[int]] = {}
    for item in items:
        ages.setdefault(item.file, {})[item.line] = _NOT_ASKED
        if whose in ("all", item.certainty):
            wanted.setdefault(item.file, []).append(item.line)
    for path, known in line_ages(room.repository, wanted, room.clock().timestamp()).items():
        ages[path] |= known
    return ages


def _summary(items: Sequence[DebtItem], ages: Ages) -> DebtSummary:
    found = [(item, ages[item.file][item.line]) for item in items]
    known = [(age.time, age.days, item) for item, age in found if not isinstance(age, str)]
    oldest = None
    if known:
        _, days, first = min(known, key=lambda row: (row[0], row[2].order))
        oldest = OldestDebt(file=first.file, line=first.line, age_days=days)
    counted = Counter(word for item in items for word in (item.certainty, item.severity, item.category))
    reasons = Counter(age for _, age in found if isinstance(age, str))
    return DebtSummary(
        total=len(items),
        by_certainty={name: counted[name] for name in get_args(Certainty)},
        by_severity={name: counted[name] for name in SEVERITIES},
        by_category={name: counted[name] for name in get_args(Category)},
        files_with_debt=len({item.file for item in items}),
        average_age_days=round(sum(days for _, days, _ in known) / len(known), 1) if known else None,
        oldest=oldest,
        ages_unknown=dict(sorted(reasons.items())),
    )


def _threshold(args: AnalyzeDebt) -> float | None:
    if args.include_probable:
        return least_probability(args.min_probability)
    if args.min_probability is not None:
        raise InvalidArguments(
            "`min_probability` is about probable items, which `include_probable` leaves out.",
            hint="Give one of the two.",
        )
    return None


@analyze.operation(
    "analyze_debt",
    title="Analyze debt in comments",
    effect=Effect.READ,
    command="debt",
    example="holdfast analyze debt src --min-severity Medium",
    **arguments.of_project(_text, specified=False, sarif=Debt.sarif_text),
)
def analyze_debt(room: Analysis, args: AnalyzeDebt) -> Debt:
    """List the technical debt that comments admit: TODO, FIXME and the like, and what reads like debt.

    What opens with a marker is certain; what a model takes for debt is probable, and kept apart. Each item
    has its place, category, severity and age.
    """
    project = Project(checked_project(room.repository, args.project_path))
    threshold, base = _threshold(args), arguments.base_of(room, args.since, args.diff)
    scan = room.scan(project, names=False)
    report = debt_report(
        room, scan, base, probable=args.include_probable, min_probability=args.min_probability
    )
    items = [item for item in report.items if item.order[0] <= SEVERITIES.index(args.min_severity)]
    ages = _ages(room, items, args.ages)
    result = Debt(
        **scan.counts.of(project.path, args.format),
        compared_with=None if base is None else base.commit,
        summary=_summary(items, ages),
        items=[_found(item, ages[item.file][item.line]) for item in items[: args.limit]],
        threshold=threshold,
        method=_METHOD,
    )
    return result.with_findings(
        map(_with_age, items, result.items),
        rules=DEBT_RULES.values(),
        total=len(items),
        properties={"summary": result.summary.wire()},
        notes=[_METHOD],
    )
