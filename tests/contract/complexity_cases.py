"""Arguments for the analysis of complexity, as a program sends them and as a person types them."""

from __future__ import annotations

from typing import Any

from tests.contract.case import Case

_NAME = "analyze_complexity"


def _given(**more: Any) -> dict[str, Any]:
    return {"project_path": ".", "toolchain": "auto"} | more


COMPLEXITY_CASES = [
    Case(_NAME, ("analyze", "complexity", "."), _given()),
    Case(_NAME, ("analyze", "complexity", "--toolchain", "python-uv"), _given(toolchain="python-uv")),
    Case(
        _NAME,
        ("analyze", "complexity", "src", "--top-files", "2", "--format", "json"),
        _given(project_path="src", top_files=2, format="json"),
    ),
    Case(
        _NAME,
        ("analyze", "complexity", "--dialect", "extended", "--no-recursion", "--format", "detailed"),
        _given(dialect="extended", recursion=False, format="detailed"),
    ),
    Case(
        _NAME,
        ("analyze", "complexity", "--max-cyclomatic", "99", "--max-cognitive", "99", "--format", "sarif"),
        _given(max_cyclomatic=99, max_cognitive=99, format="sarif"),
    ),
    Case(_NAME, ("analyze", "complexity", "--limit", "1"), _given(limit=1)),
    Case(_NAME, ("analyze", "complexity", "--limit", "0"), _given(limit=0), "invalid_arguments"),
    Case(_NAME, ("analyze", "complexity", "gone"), _given(project_path="gone"), "not_found"),
    Case(_NAME, ("analyze", "complexity", "../x"), _given(project_path="../x"), "invalid_path"),
    Case(_NAME, ("analyze", "complexity", "-t", "cobol"), _given(toolchain="cobol"), "invalid_arguments"),
    Case(_NAME, ("analyze", "complexity", "--format", "xml"), _given(format="xml"), "invalid_arguments"),
    Case(_NAME, ("analyze", "complexity", "--since", "nowhere"), _given(since="nowhere"), "not_found"),
    Case(
        _NAME,
        ("analyze", "complexity", "--since", "HEAD", "--diff", "HEAD"),
        _given(since="HEAD", diff="HEAD"),
        "invalid_arguments",
    ),
]

COMPLEXITY_PLAIN_TEXT = {
    "Complexity.toolchain": "one of ours",
    "Complexity.toolchain_detected": "words of ours",
    "Complexity.languages": "names of ours, with numbers",
    "Complexity.compared_with": "the id of a commit",
    "Complexity.files_skipped": "words of ours, with numbers",
    "Complexity.thresholds": "words of ours, with numbers",
    "Complexity.method": "a sentence that stands in our code",
    "ComplexityViolation.rule": "one of two words of ours",
    "ComplexityViolation.message": "a sentence of ours, with numbers",
    "ComplexFunction.complexity_type": "a word of ours",
}
