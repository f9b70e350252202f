"""`analyze_duplicates`: code that occurs more than once, as groups of similar fragments."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt
from typing import Literal

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.duplicates.clone import (
    CLONE_KINDS,
    COPY_KINDS,
    DEFAULT_MIN_LINES,
    DEFAULT_THRESHOLD,
    CloneKind,
    CloneQuery,
    Fragment,
    FragmentGroup,
)
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.clones import project_clones
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
from holdfast.analysis.rules import DUPLICATE_RULES
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.clock import monotonic
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import AtLeast, Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted, table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

DetectionType = Literal[CloneKind, "all"]
DuplicatesFormat = Literal["summary", "detailed", "json", "sarif"]
_DEFAULT_GROUPS = 20
"""Groups in a result by default: a judgement, about a screen of text with their fragments."""
_PREVIEW_LINES = 3
"""Lines of the first fragment: a judgement, enough to recognise the code."""
_METHOD = (
    "Exact: the same tokens; layout and comments are ignored. Renamed: other literals, and other names if"
    " the renaming is consistent. Gapped: functions and blocks with inserted or deleted lines, by the share"
    " of both that an alignment covers. Semantic: leads by structure, to check. Imports are no"
    " duplicates. Only code in one language is compared, except JavaScript with TypeScript and C with C++."
    " Lines in exact and renamed groups are duplicates, each counted once."
)


class AnalyzeDuplicates(arguments.ProjectInput):
    """The files, and the kinds of duplicates."""

    detection_type: DetectionType = Field(
        default="all",
        description="exact: identical code. renamed: other names. gapped: inserted or deleted lines."
        " semantic: leads to equivalent code. all: all of these.",
    )
    threshold: StrictFloat = Field(
        default=DEFAULT_THRESHOLD,
        ge=0,
        le=1,
        description="Minimum similarity of semantic clones; that of gapped clones is derived from it.",
    )
    gpu: StrictBool = Field(
        default=False, description="Use a GPU, if there is one, to find similar functions."
    )
    perf: StrictBool = Field(default=False, description="Report the time taken.")
    format: DuplicatesFormat = Field(default="summary", description="Format of the text.")
    min_lines: AtLeast = count_field(
        DEFAULT_MIN_LINES, LIMITS.clone_lines, "The minimum number of lines with code in a fragment."
    )
    limit: Integer = count_field(
        _DEFAULT_GROUPS,
        LIMITS.clone_groups,
        "Maximum number of groups, the longest first, and of fragments of each: at least two are listed.",
    )


class CloneFragment(Output):
    """Lines that have a clone elsewhere."""

    file: UntrustedText
    start_line: int
    end_line: int
    tokens: int
    similarity_to_representative: float = Field(
        description="Similarity to the first fragment of the group, from 0 to 1."
    )


class CloneGroup(Output):
    """Similar fragments; the first represents the group."""

    id: str = Field(description="A hash of the content, unaffected by changes of other code.")
    clone_type: CloneKind
    lead: bool = Field(description="Whether it has to be checked first: true for semantic clones.")
    copies: int
    total_lines: int
    total_tokens: int
    average_similarity: float
    fragments: list[CloneFragment] = Field(description="`copies` has the total.")
    preview: UntrustedText | None = optional("The first lines of the first fragment; in the detailed format.")


class DuplicatesSummary(Output):
    """The totals, including groups that are not listed."""

    total_files: int
    total_fragments: int
    duplicate_lines: int | None = Field(
        description="Lines in exact and renamed groups, each once, of the kinds that were requested; null if"
        " neither was."
    )
    gapped_lines: int = Field(description="Other lines, in groups found by comparing functions.")
    total_lines: int
    duplication_ratio: float | None = Field(
        description="Share of duplicate lines, from 0 to 1; null also if there are no lines. By default it is"
        " the duplication that all views show."
    )
    clone_groups: int
    groups_by_type: dict[CloneKind, int] = Field(
        description="Comparing functions, for gapped and semantic groups, finds more exact and renamed ones."
    )
    largest_group_size: int


class DuplicatedFile(Output):
    """A file with much duplicated code."""

    file: UntrustedText
    duplicate_lines: int = Field(description="Lines in exact, renamed and gapped groups.")
    total_lines: int
    clone_groups: int
    severity: float = Field(description="max(1, ln(duplicate lines)) · √(groups)")


class Performance(Output):
    """How long the analysis took."""

    analysis_time_s: float
    reading_s: float = Field(description="Finding the files, reading and tokenising them.")
    comparing_s: float
    files_per_second: float
    files_from_cache: int


class GpuReport(Output):
    """Whether a GPU was used."""

    requested: bool
    used: bool
    reason: str | None = Field(description="Why it was not used.")
    device: UntrustedText | None


class Duplicates(ResultWithFindings):
    """The duplicates of a project."""

    format: DuplicatesFormat
    project_path: UntrustedText
    detection_type: DetectionType
    threshold: float
    effective_thresholds: dict[CloneKind, float] = Field(
        description="gapped: share of tokens in the same order. semantic: cosine of structures."
    )
    min_lines: int
    summary: DuplicatesSummary
    groups: list[CloneGroup] = Field(description="`summary.clone_groups` has the total.")
    most_duplicated: list[DuplicatedFile] = Field(description="The files with most duplicates, by severity.")
    gpu: GpuReport
    performance: Performance | None = optional("Only with `perf`.")
    method: str


def _text(result: Duplicates, width: int) -> str:
    summary, is_detailed = result.summary, result.format == "detailed"
    shown = result.groups if is_detailed else result.groups[:MAX_ITEMS_IN_SUMMARY]
    most_duplicated = [
        (
            f"{file.duplicate_lines} of {file.total_lines} lines",
            counted(file.clone_groups, "group"),
            file.file,
        )
        for file in result.most_duplicated[:MAX_ITEMS_IN_SUMMARY]
    ]
    thresholds = ", ".join(f"{kind} {value:g}" for kind, value in result.effective_thresholds.items())
    kinds = tally(summary.groups_by_type)
    groups = f"{summary.clone_groups} ({kinds}) with {summary.total_fragments} fragments"
    gpu = f"used, {result.gpu.device}" if result.gpu.used else result.gpu.reason
    return lines(
        f"{_duplication_label(result)}: {_duplication(summary)}.",
        f"By comparing functions: {summary.gapped_lines} more lines." if summary.gapped_lines else "",
        f"Groups: {groups}, the largest with {summary.largest_group_size}."
        if summary.clone_groups
        else "No duplicates were found.",
        f"Minimum similarity: {thresholds}." if thresholds else "",
        skipped_files_line(result),
        f"GPU: {gpu}" if result.gpu.requested else "",
        _time_line(result.performance),
        map(_group_text, shown)
        if is_detailed
        else table([_cells(group) for group in shown], width, flexible=(4,)),
        "Most duplicates are in:\n" + table(most_duplicated, width, flexible=(2,)) if most_duplicated else "",
        shown_line(len(shown), summary.clone_groups),
        result.method,
    )


def _duplication_label(result: Duplicates) -> str:
    """Return the name of the share of duplicate lines, which says how it differs from that of other views."""
    kinds = f" by {result.detection_type} groups alone" if result.detection_type in COPY_KINDS else ""
    length = f" of at least {result.min_lines} lines" if result.min_lines != DEFAULT_MIN_LINES else ""
    return f"Duplication{kinds}{length}"


def _duplication(summary: DuplicatesSummary) -> str:
    all_lines = f"{counted(summary.total_lines, 'line')} in {counted(summary.total_files, 'file')}"
    if summary.duplicate_lines is None:
        return f"not searched for in {all_lines}"
    ratio = summary.duplication_ratio
    share = "nothing to measure" if ratio is None else f"{ratio:.1%}"
    return f"{share}, {summary.duplicate_lines} of {all_lines}"


def _time_line(performance: Performance | None) -> str:
    if performance is None:
        return ""
    return (
        f"Time: {performance.analysis_time_s:g} s, of which reading {performance.reading_s:g} s and comparing"
        f" {performance.comparing_s:g} s; {performance.files_per_second:g} files/s,"
        f" {performance.files_from_cache} from the cache."
    )


def _cells(group: CloneGroup) -> tuple[str, ...]:
    first = group.fragments[0]
    similarity = f"{group.average_similarity:.0%} similar" + (", a lead" if group.lead else "")
    place = f"{first.file}:{first.start_line}-{first.end_line}"
    return group.clone_type, f"{first.tokens} tokens", f"{group.copies} copies", similarity, place


def _group_text(group: CloneGroup) -> str:
    title = f"{group.clone_type} {group.id}: {group.copies} copies, {group.average_similarity:.0%} similar"
    if group.lead:
        title += ", a lead"
    places = [
        f"  {fragment.file}:{fragment.start_line}-{fragment.end_line}"
        f" ({fragment.similarity_to_representative:.0%})"
        for fragment in group.fragments
    ]
    if len(places) < group.copies:
        places.append(f"  … and {group.copies - len(places)} more")
    preview = [f"  | {line}" for line in (group.preview or "").splitlines()]
    return "\n".join((title, *places, *preview))


def _clone_group(room: Analysis, group: FragmentGroup, args: AnalyzeDuplicates) -> CloneGroup:
    fragments = group.fragments
    return CloneGroup(
        id=group.id,
        clone_type=group.kind,
        lead=group.kind == "semantic",
        copies=len(fragments),
        total_lines=sum(fragment.end_line - fragment.start_line + 1 for fragment in fragments),
        total_tokens=sum(fragment.tokens for fragment in fragments),
        average_similarity=group.similarity,
        fragments=[
            CloneFragment(
                file=fragment.file,
                start_line=fragment.start_line,
                end_line=fragment.end_line,
                tokens=fragment.tokens,
                similarity_to_representative=fragment.similarity,
            )
            for fragment in fragments[: max(2, args.limit)]
        ],
        preview=_preview(room, fragments[0]) if args.format == "detailed" else None,
    )


def _preview(room: Analysis, first: Fragment) -> str | None:
    text = room.read_text(first.file)
    if text is None:
        return None
    start = first.start_line - 1
    return "\n".join(text.split("\n")[start : start + _PREVIEW_LINES])


def _summary(report: CloneReport, *, counts_duplicates: bool) -> DuplicatesSummary:
    group_counts = report.by_kind
    group_sizes = [len(group.fragments) for group in report.groups]
    return DuplicatesSummary(
        total_files=len(report.line_counts),
        total_fragments=sum(group_sizes),
        duplicate_lines=sum(report.duplicate_lines.values()) if counts_duplicates else None,
        gapped_lines=sum(report.gapped_lines.values()),
        total_lines=report.total_lines,
        duplication_ratio=round(report.duplication, 4) if counts_duplicates and report.total_lines else None,
        clone_groups=len(report.groups),
        groups_by_type={kind: group_counts[kind] for kind in CLONE_KINDS if kind in group_counts},
        largest_group_size=max(group_sizes, default=0),
    )


def _most_duplicated(report: CloneReport, limit: int) -> list[DuplicatedFile]:
    groups: Counter[str] = Counter()
    for group in report.groups:
        groups.update({fragment.file for fragment in group.fragments})
    duplicate_lines = Counter(report.duplicate_lines) + Counter(report.gapped_lines)
    files = [
        DuplicatedFile(
            file=path,
            duplicate_lines=lines,
            total_lines=report.line_counts[path],
            clone_groups=groups[path],
            severity=round(max(1.0, log(lines)) * sqrt(groups[path]), 3),
        )
        for path, lines in duplicate_lines.items()
    ]
    return sorted(files, key=lambda file: (-file.severity, file.file))[:limit]


@analyze.operation(
    "analyze_duplicates",
    title="Analyze duplicates",
    effect=Effect.READ,
    command="duplicates",
    example="holdfast analyze duplicates src --detection-type renamed --format detailed",
    **arguments.project_options(_text, stages=4, sarif=Duplicates.sarif_text),
)
def analyze_duplicates(room: Analysis, args: AnalyzeDuplicates) -> Duplicates:
    """Find code that occurs more than once: copied, renamed, changed in places, or similar in structure.

    Returns groups of similar fragments with their places and similarity, the files with most duplicates, and
    the share of duplicate lines.
    """
    project = Project(checked_project(room.repository, args.project_path))
    kinds = frozenset(CLONE_KINDS) if args.detection_type == "all" else frozenset({args.detection_type})
    started = monotonic()
    tokens = room.scan_tokens(project)
    read = monotonic()
    query = CloneQuery(kinds, args.min_lines, args.threshold, args.gpu)
    report = project_clones(room, tokens, project, query)
    finished = monotonic()
    seconds = finished - started
    performance = Performance(
        analysis_time_s=round(seconds, 3),
        reading_s=round(read - started, 3),
        comparing_s=round(finished - read, 3),
        files_per_second=round(len(tokens.files) / seconds, 1),
        files_from_cache=tokens.hits,
    )
    result = Duplicates(
        **tokens.counts.result_fields(project.path, args.format),
        detection_type=args.detection_type,
        threshold=args.threshold,
        effective_thresholds=query.effective_thresholds,
        min_lines=args.min_lines,
        summary=_summary(report, counts_duplicates=bool(kinds & COPY_KINDS)),
        groups=[_clone_group(room, group, args) for group in report.groups[: args.limit]],
        most_duplicated=_most_duplicated(report, args.limit),
        gpu=GpuReport.model_validate(report.gpu, from_attributes=True),
        performance=performance if args.perf else None,
        method=_METHOD,
    )
    return result.with_findings(
        report.findings[: arguments.document_limit(args)],
        rules=DUPLICATE_RULES.values(),
        total=len(report.groups),
        properties={"summary": result.summary.wire(), "gpu": result.gpu.wire()},
        notes=[_METHOD],
    )
