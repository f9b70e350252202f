"""Renders a deep context as one HTML file, with the same parts as its Markdown and whole lists."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.analysis.context.annotated_tree import TreeNode
from holdfast.analysis.context.context_document import DeepContext
from holdfast.analysis.context.context_text import (
    annotation_notes,
    correlation_line,
    defect_lines,
    hotspot_rows,
    scorecard_rows,
    section_lines,
    stale_coverage_line,
    summary_lines,
)
from holdfast.analysis.context.recommendations import Recommendation
from holdfast.analysis.render.html_page import Cell, Html, element, escaped, html_page, listed, table


def context_html(result: DeepContext) -> str:
    """Return the document as one HTML file."""
    root = result.metadata.project_root
    return html_page(f"Deep context of {root}" if root != "." else "Deep context", _parts(result))


def _parts(result: DeepContext) -> Iterator[Html]:
    yield listed("ul", summary_lines(result))
    yield element("h2", "Quality scorecard")
    yield table(("Part", "Value", "Note"), list(scorecard_rows(result)))
    yield element("p", stale_coverage_line(result))
    yield element("h2", "Defects")
    yield from (element("p", line) for line in defect_lines(result))
    yield element("h2", "Recommendations")
    yield listed("ol", map(_recommendation, result.recommendations)) if result.recommendations else _none()
    yield element("h2", f"Files to improve first ({len(result.hotspots)} of {result.total_hotspots})")
    rows: list[list[Cell]] = [list(row) for row in hotspot_rows(result.hotspots)]
    yield table(("Place", "Score", "Why", "Hours", "Priority"), rows)
    yield element("h2", "Files with findings of several analyses")
    yield element("p", correlation_line(result))
    meetings = result.defect_correlation.meetings
    yield table(("File", "Analyses"), [[item.file, ", ".join(item.analyses)] for item in meetings])
    yield element("h2", "Analyses")
    yield listed("ul", section_lines(result))
    yield element("h2", f"Files ({result.file_tree.total_files})")
    yield _tree(result.file_tree.root)


def _none() -> Html:
    return element("p", "None.")


def _recommendation(item: Recommendation) -> Html:
    hours = item.estimated_effort.secs / 3600
    about = f" ({item.priority}, about {hours:.1f} h): {item.description}"
    return Html(element("strong", item.title) + escaped(about))


def _tree(node: TreeNode) -> Html:
    """Return a folder that can be opened, or a line for a file."""
    notes = element("span", ", ".join(annotation_notes(node.annotations)), "quiet")
    if node.node_type != "directory":
        return element("div", Html(f"{escaped(node.name)} {notes}"), "file")
    children = [_tree(child) for child in node.children or ()]
    if node.omitted:
        children.append(element("div", f"… {node.omitted} more", "file"))
    return element(
        "details", Html(element("summary", Html(f"{escaped(node.name)}/ {notes}")) + "".join(children))
    )
