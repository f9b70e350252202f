"""Arguments for the deep context, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_TOOL = "analyze_deep_context"
_WORDS = ("analyze", "context")

_OUR_WORDS = "a word or sentence that stands in our code"
_OUR_TIME = "a moment, written by us as RFC 3339"
_CLEANED = "cleaned where the sections are put together, whatever they hold"
CONTEXT_PLAIN_TEXT = {
    "Correlation.reason": _OUR_WORDS,
    "DeepContext.analyses": _CLEANED,
    "DeepContext.failures": "names of analyses; the reasons are of the untrusted type",
    "DeepContext.files_skipped": _OUR_WORDS,
    "DeepContext.sarif": "cleaned where it is written",
    "DeepContext.template_provenance_reason": _OUR_WORDS,
    "DefectSummary.by_severity": _OUR_WORDS,
    "DefectSummary.by_type": _OUR_WORDS,
    "FoundReport.kind": _OUR_WORDS,
    "FoundReport.written_at": _OUR_TIME,
    "Meeting.analyses": _OUR_WORDS,
    "Metadata.compared_with": "the id of a commit",
    "Metadata.analyses": _OUR_WORDS,
    "Metadata.generated_at": _OUR_TIME,
    "Metadata.tool_version": _OUR_WORDS,
    "Provenance.parameters": "cleaned where the record is read",
    "Recommendation.title": _OUR_WORDS,
    "Scorecard.debt_minutes": _OUR_WORDS,
    "Scorecard.not_measured": "names of parts; the reasons are of the untrusted type",
    "Scorecard.weights": _OUR_WORDS,
}

CONTEXT_CASES = [
    Case(
        _TOOL,
        (*_WORDS, "src", "--include-analyses", "ast", "--include-analyses", "satd", "--format", "json"),
        {"project_path": "src", "include_analyses": ["ast", "satd"], "format": "json"},
    ),
    Case(
        _TOOL,
        (*_WORDS, "--exclude-analyses", "dag", "--parallel", "1", "--max-depth", "1", "--limit", "3"),
        {"exclude_analyses": ["dag"], "parallel": 1, "max_depth": 1, "limit": 3},
    ),
    Case(
        _TOOL,
        (*_WORDS, "--include-patterns", "*.py", "--include-analyses", "complexity", "--format", "sarif"),
        {"include_patterns": ["*.py"], "include_analyses": ["complexity"], "format": "sarif"},
    ),
    Case(_TOOL, (*_WORDS, "nowhere"), {"project_path": "nowhere"}, "not_found"),
    Case(_TOOL, (*_WORDS, "../x"), {"project_path": "../x"}, "invalid_path"),
    Case(
        _TOOL, (*_WORDS, "--include-analyses", "magic"), {"include_analyses": ["magic"]}, "invalid_arguments"
    ),
    Case(_TOOL, (*_WORDS, "--format", "yaml"), {"format": "yaml"}, "invalid_arguments"),
]
