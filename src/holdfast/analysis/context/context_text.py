"""Renders a deep context as Markdown, with shorter lists than its JSON has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from holdfast.analysis.context.annotated_tree import Annotations, TreeNode
from holdfast.analysis.context.context_document import DeepContext
from holdfast.analysis.context.hotspots import Hotspot
from holdfast.analysis.render.markdown import cell, inline, markdown_table
from holdfast.analysis.render.text_layout import UNLIMITED_COLUMNS, tally

_MAX_ITEMS_SHOWN = 10
"""Entries of each list: a judgement, so that no list fills more than half a screen."""
_MAX_TREE_LINES = 120
"""Lines of the file tree: a judgement, some two or three screens."""
_MAX_HOTSPOTS_ON_TERMINAL = 5
"""A judgement: with them the view for a terminal takes some thirty lines."""
_MAX_NUMBERS_SHOWN = 6
"""Numbers of each analysis: a judgement, as many as fit on one line."""

_KINDS_SHOWN = {"dead-code": "dead-code at high confidence"}
"""The names of kinds of findings of which only some are counted."""


def context_text(result: DeepContext, width: int) -> str:
    """Return the document in Markdown; for a terminal only its first parts, which fit on a screen."""
    whole = (_summary, _scorecard, _defects, _recommendations, _hotspots, _correlation, _sections, _tree)
    if width >= UNLIMITED_COLUMNS:
        return _join(whole, result)
    first = result.model_copy(update={"hotspots": result.hotspots[:_MAX_HOTSPOTS_ON_TERMINAL]})
    return _join((_summary, _scorecard, _defects, _recommendations, _hotspots, _rest), first)


def _join(parts: Iterable[Callable[[DeepContext], Iterable[str]]], result: DeepContext) -> str:
    return "\n".join(line for part in parts for line in (*part(result), "")).rstrip() + "\n"


def _rest(result: DeepContext) -> Iterator[str]:
    yield (
        "Not shown: files with findings of several analyses, the numbers of each analysis, and the tree of"
        f" {result.file_tree.total_files} files. A pipe or file gets all of it, such as `| less`."
    )


def _number(value: float | None, unit: str = "") -> str:
    return "not measured" if value is None else f"{value:g}{unit}"


def _table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    return markdown_table(columns, (map(cell, row) for row in rows))


def summary_lines(result: DeepContext) -> Iterator[str]:
    """Return what was analysed, when and how."""
    metadata, stats = result.metadata, result.metadata.cache_stats
    seconds = metadata.analysis_duration.seconds
    yield f"Project: {metadata.project_root}"
    yield f"Generated: {metadata.generated_at} by holdfast {metadata.tool_version} in {seconds:.2f} s"
    files = f"{result.files_analyzed} of {result.files_discovered} analysed"
    skipped = f" ({tally(result.files_skipped)})" if result.files_skipped else ""
    yield f"Files: {files}{skipped}, {result.file_tree.total_size_bytes:,} bytes"
    rate = "no file was looked up" if stats.hit_rate is None else f"{stats.hit_rate:.0%}"
    yield f"Analyses: {', '.join(metadata.analyses)}; cache {metadata.cache_strategy}, hit rate {rate}"
    if metadata.compared_with is not None:
        yield f"Compared with {metadata.compared_with}: only new or worse findings"
    for name, reason in result.failures.items():
        yield f"{name} failed: {reason}"


def _summary(result: DeepContext) -> Iterator[str]:
    yield "# Deep context\n"
    yield from (f"- {inline(line)}" for line in summary_lines(result))


def scorecard_rows(result: DeepContext) -> Iterator[tuple[str, str, str]]:
    """Return the parts of the scorecard, each with its value and a note."""
    scorecard = result.quality_scorecard
    values = scorecard.wire()
    for name, unit in (
        ("overall_health", " / 100"),
        ("complexity_score", " / 100"),
        ("maintainability_index", " / 100"),
        ("modularity_score", " / 100"),
        ("test_coverage", " %"),
        ("technical_debt_hours", " h"),
    ):
        weight = scorecard.weights.get(name)
        note = scorecard.not_measured.get(name) or (f"weight {weight:g}" if weight else "")
        if name == "overall_health" and not note:
            note = "not for comparing projects"
        yield name.replace("_", " "), _number(values[name], unit), note


def _scorecard(result: DeepContext) -> Iterator[str]:
    yield "## Quality scorecard\n"
    yield _table(("Part", "Value", "Note"), scorecard_rows(result))
    if result.coverage.stale_files:
        yield f"\n{stale_coverage_line(result)}"


def stale_coverage_line(result: DeepContext) -> str:
    """Return the line that says for how many files the coverage is out of date; empty if for none."""
    stale = result.coverage.stale_files
    return f"{stale} files are newer than their coverage report." if stale else ""


def defect_lines(result: DeepContext) -> Iterator[str]:
    """Return how many findings there are, by kind and severity."""
    summary = result.defect_summary
    kinds = (
        ", ".join(f"{count} {_KINDS_SHOWN.get(kind, kind)}" for kind, count in summary.by_type.items())
        or "nothing was analysed"
    )
    severities = ", ".join(f"{count} {severity}" for severity, count in summary.by_severity.items() if count)
    yield f"{summary.total_defects} in total: {kinds}{f'; {severities}' if severities else ''}."
    yield f"Per 1,000 lines of code: {_number(summary.defect_density)}."


def _defects(result: DeepContext) -> Iterator[str]:
    yield "## Defects\n"
    yield from defect_lines(result)


def _recommendations(result: DeepContext) -> Iterator[str]:
    yield "## Recommendations\n"
    if not result.recommendations:
        yield "None."
    for place, item in enumerate(result.recommendations[:_MAX_ITEMS_SHOWN], 1):
        hours = item.estimated_effort.secs / 3600
        yield f"{place}. **{item.title}** ({item.priority}, about {hours:.1f} h): {cell(item.description)}"


def hotspot_rows(spots: Iterable[Hotspot]) -> Iterator[tuple[str, float, str, float, str]]:
    """Return the place, score, reasons, estimated hours and priority of each file to improve."""
    for spot in spots:
        effort = spot.refactoring_effort
        reasons = "; ".join(spot.contributing_factors)
        place = f"{spot.location.file}:{spot.location.line}"
        yield place, spot.composite_score, reasons, effort.estimated_hours, effort.priority


def _hotspots(result: DeepContext) -> Iterator[str]:
    shown = result.hotspots[:_MAX_ITEMS_SHOWN]
    yield f"## Files to improve first ({len(shown)} of {result.total_hotspots})\n"
    rows = (
        (place, score, why, f"{hours:g} h", priority)
        for place, score, why, hours, priority in hotspot_rows(shown)
    )
    yield _table(("Place", "Score", "Why", "Effort", "Priority"), rows)


def correlation_line(result: DeepContext) -> str:
    """Return how complexity and churn go together, and how many files have findings of several analyses."""
    correlation = result.defect_correlation
    if correlation.reason is None:
        value = _number(correlation.complexity_and_churn)
    else:
        value = f"not measured ({correlation.reason})"
    return f"Rank correlation of complexity and churn: {value}. Files: {correlation.total}."


def _correlation(result: DeepContext) -> Iterator[str]:
    yield "## Files with findings of several analyses\n"
    yield correlation_line(result)
    for item in result.defect_correlation.meetings[:_MAX_ITEMS_SHOWN]:
        yield f"- {cell(item.file)}: {', '.join(item.analyses)}"


def section_lines(result: DeepContext) -> Iterator[str]:
    """Return the main numbers of each analysis."""
    for name, section in result.analyses.items():
        summary = section.get("summary", section) if isinstance(section, dict) else {"total": len(section)}
        numbers = [f"{key} {value}" for key, value in summary.items() if isinstance(value, int | float)]
        yield f"{name.replace('_', ' ')}: {', '.join(numbers[:_MAX_NUMBERS_SHOWN]) or 'no numbers'}"
    provenance = result.template_provenance
    if provenance is None:
        yield f"template provenance: {result.template_provenance_reason}"
    else:
        drift = provenance.drift_analysis.drift_score
        yield f"template provenance: {provenance.toolchain}, drift {drift:g}"


def _sections(result: DeepContext) -> Iterator[str]:
    yield "## Analyses\n"
    yield from (f"- {cell(line)}" for line in section_lines(result))


def _tree(result: DeepContext) -> Iterator[str]:
    tree = result.file_tree
    lines = list(_tree_lines(tree.root, ""))
    yield f"## Files ({tree.total_files})\n"
    yield "```text"
    yield from lines[:_MAX_TREE_LINES]
    yield "```"
    if len(lines) > _MAX_TREE_LINES or tree.root.omitted:
        yield "The tree is incomplete; a higher limit, a narrower path or the json format shows more."


def _tree_lines(node: TreeNode, indent: str) -> Iterator[str]:
    suffix = "/" if node.node_type == "directory" else ""
    notes = ", ".join(annotation_notes(node.annotations))
    yield f"{indent}{cell(node.name)}{suffix}{f'  [{notes}]' if notes else ''}"
    for child in node.children or ():
        yield from _tree_lines(child, f"{indent}  ")
    if node.omitted:
        yield f"{indent}  … {node.omitted} more"


def annotation_notes(annotations: Annotations) -> Iterator[str]:
    """Return what was measured about a file or folder."""
    templates = {
        "complexity_score": "complexity {}",
        "commits": "{} commits",
        "satd_items": "{} debt items",
        "dead_code_items": "{} unused",
        "imported_by": "imported by {}",
        "defect_probability": "defect {}",
        "defect_score": "to improve {}",
    }
    for name, template in templates.items():
        if value := getattr(annotations, name):
            yield template.format(f"{value:g}")
    if annotations.test_coverage is not None:
        yield f"{annotations.test_coverage:g} % covered"
