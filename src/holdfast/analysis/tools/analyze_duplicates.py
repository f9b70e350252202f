"""`analyze_duplicates`: code that occurs more than once, as groups of similar fragments."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt
from typing import Any

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.duplicates.clone import (
    CLONE_KINDS,
    COPY_KINDS,
    DEFAULT_MIN_LINES,
    DEFAULT_MIN_TOKENS,
    DEFAULT_THRESHOLD,
    CloneQuery,
    Fragment,
    FragmentGroup,
)
from holdfast.analysis.duplicates.clone_report import CloneReport, DuplicatedLines
from holdfast.analysis.duplicates.clones import project_clones
from holdfast.analysis.duplicates.duplicates_result import (
    CloneFragment,
    CloneGroup,
    DetectionType,
    DuplicatedFile,
    DuplicatedShare,
    Duplicates,
    DuplicatesFormat,
    DuplicatesSummary,
    GpuReport,
    Performance,
    duplicates_text,
)
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DUPLICATE_RULES
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.clock import monotonic
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import AtLeast, Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.storage.git.project_files import checked_project

_DEFAULT_GROUPS = 20
"""Groups in a result by default: a judgement, about a screen of text with their fragments."""
_PREVIEW_LINES = 3
"""Lines of the first fragment: a judgement, enough to recognise the code."""
_METHOD = (
    "Clones are whole statements with at least `min_lines` lines and `min_tokens` tokens, mostly code that"
    " runs: not imports, types, tables or brackets. Exact: the same tokens; layout and comments are ignored."
    " Renamed: other literals, and other names if the renaming is consistent. Gapped: functions and blocks"
    " with inserted or deleted lines, by the share of both that an alignment covers. Semantic: leads to"
    " check: functions with a looser alignment or a similar structure, and short files that are equal. Only"
    " code in one language is compared, except JavaScript with TypeScript and C with C++. Lines in exact and"
    " renamed groups are duplicates, each counted once. Tests and examples are counted separately."
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
        DEFAULT_MIN_LINES,
        LIMITS.clone_lines,
        "The minimum number of lines in a fragment that have more than brackets.",
    )
    min_tokens: AtLeast = count_field(
        DEFAULT_MIN_TOKENS, LIMITS.clone_tokens, "The minimum number of tokens in these lines."
    )
    limit: Integer = count_field(
        _DEFAULT_GROUPS,
        LIMITS.clone_groups,
        "Maximum number of groups, the longest first, those in tests and leads last; and of fragments of"
        " each, of which at least two are listed.",
    )


def _clone_group(
    room: Analysis, report: CloneReport, group: FragmentGroup, args: AnalyzeDuplicates
) -> CloneGroup:
    fragments = group.fragments
    return CloneGroup(
        id=group.id,
        clone_type=group.kind,
        lead=group.kind == "semantic",
        in_tests=report.is_in_tests(group),
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


def _share(lines: DuplicatedLines, *, counts_duplicates: bool) -> dict[str, Any]:
    return {
        "total_files": lines.files,
        "total_lines": lines.lines,
        "duplicate_lines": lines.duplicate if counts_duplicates else None,
        "duplication_ratio": round(lines.share, 4) if counts_duplicates and lines.lines else None,
        "gapped_lines": lines.gapped,
    }


def _summary(report: CloneReport, *, counts_duplicates: bool) -> DuplicatesSummary:
    group_counts = report.by_kind
    group_sizes = [len(group.fragments) for group in report.groups]
    in_tests = DuplicatedShare(**_share(report.tests, counts_duplicates=counts_duplicates))
    return DuplicatesSummary(
        **_share(report.code, counts_duplicates=counts_duplicates),
        tests=in_tests if report.test_files else None,
        total_fragments=sum(group_sizes),
        clone_groups=len(report.groups),
        groups_by_type={kind: group_counts[kind] for kind in CLONE_KINDS if kind in group_counts},
        largest_group_size=max(group_sizes, default=0),
    )


def _most_duplicated(report: CloneReport, limit: int) -> list[DuplicatedFile]:
    groups: Counter[str] = Counter()
    for group in report.groups:
        if group.kind != "semantic":
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
        if path not in report.test_files
    ]
    return sorted(files, key=lambda file: (-file.severity, file.file))[:limit]


@analyze.operation(
    "analyze_duplicates",
    title="Analyze duplicates",
    effect=Effect.READ,
    command="duplicates",
    example="holdfast analyze duplicates src --detection-type renamed --format detailed",
    **arguments.project_options(duplicates_text, stages=4, sarif=Duplicates.sarif_text),
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
    query = CloneQuery(kinds, args.min_lines, args.min_tokens, args.threshold, args.gpu)
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
        min_tokens=args.min_tokens,
        summary=_summary(report, counts_duplicates=bool(kinds & COPY_KINDS)),
        groups=[_clone_group(room, report, group, args) for group in report.groups[: args.limit]],
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
