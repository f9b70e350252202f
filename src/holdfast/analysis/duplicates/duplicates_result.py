"""The result of `analyze_duplicates`, and its text."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.analysis.duplicates.clone import COPY_KINDS, DEFAULT_MIN_LINES, DEFAULT_MIN_TOKENS, CloneKind
from holdfast.analysis.render.sarif import ResultWithFindings
from holdfast.analysis.render.text_layout import (
    MAX_ITEMS_IN_SUMMARY,
    lines,
    shown_line,
    skipped_files_line,
    tally,
)
from holdfast.kernel.models import Output, optional
from holdfast.kernel.text import counted, table
from holdfast.kernel.untrusted import UntrustedText

DetectionType = Literal[CloneKind, "all"]
DuplicatesFormat = Literal["summary", "detailed", "json", "sarif"]


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
    in_tests: bool = Field(description="Whether all fragments are in tests or examples.")
    copies: int
    total_lines: int
    total_tokens: int
    average_similarity: float
    fragments: list[CloneFragment] = Field(description="`copies` has the total.")
    preview: UntrustedText | None = optional("The first lines of the first fragment; in the detailed format.")


class DuplicatedShare(Output):
    """How much of some files is duplicated."""

    total_files: int
    total_lines: int
    duplicate_lines: int | None = Field(
        description="Lines in exact and renamed groups, each once, of the kinds that were requested; null if"
        " neither was."
    )
    duplication_ratio: float | None = Field(
        description="Share of duplicate lines, from 0 to 1; null also if there are no lines. By default it is"
        " the duplication that all views show."
    )
    gapped_lines: int = Field(description="Other lines, in groups found by comparing functions.")


class DuplicatesSummary(DuplicatedShare):
    """The totals, including groups that are not listed; lines and files are those outside tests."""

    tests: DuplicatedShare | None = Field(
        description="Tests, examples and documents; null if there are none, or nothing else."
    )
    total_fragments: int
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
        description="gapped: share of tokens in the same order. semantic: cosine of structures, or an"
        " alignment of 0.68 of it."
    )
    min_lines: int
    min_tokens: int
    summary: DuplicatesSummary
    groups: list[CloneGroup] = Field(description="`summary.clone_groups` has the total.")
    most_duplicated: list[DuplicatedFile] = Field(
        description="The files outside tests with most duplicates, by severity."
    )
    gpu: GpuReport
    performance: Performance | None = optional("Only with `perf`.")
    method: str


def duplicates_text(result: Duplicates, width: int) -> str:
    """Return the result as text, within a width in columns."""
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
    clones = {kind: count for kind, count in summary.groups_by_type.items() if kind != "semantic"}
    leads = summary.groups_by_type.get("semantic", 0)
    groups = f"{sum(clones.values())} ({tally(clones)})" if clones else "none"
    largest = counted(summary.largest_group_size, "fragment")
    gpu = f"used, {result.gpu.device}" if result.gpu.used else result.gpu.reason
    return lines(
        f"{_duplication_label(result)}: {_duplication(summary)}{' outside tests' if summary.tests else ''}.",
        f"By comparing functions: {summary.gapped_lines} more lines." if summary.gapped_lines else "",
        f"In tests: {_duplication(summary.tests)}." if summary.tests else "",
        f"Groups: {groups}, and {counted(leads, 'lead')}; the largest with {largest}."
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
    limits = []
    if result.min_lines != DEFAULT_MIN_LINES:
        limits.append(f"{result.min_lines} lines")
    if result.min_tokens != DEFAULT_MIN_TOKENS:
        limits.append(f"{result.min_tokens} tokens")
    length = f" of at least {' and '.join(limits)}" if limits else ""
    return f"Duplication{kinds}{length}"


def _duplication(summary: DuplicatedShare) -> str:
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
    if group.in_tests:
        similarity += ", in tests"
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
