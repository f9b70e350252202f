"""Arguments for the prediction of defects, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_DEFECTS = "analyze_defect_probability"

DEFECT_CASES = [
    Case(_DEFECTS, ("analyze", "defects"), {"project_path": "."}),
    Case(
        _DEFECTS,
        (
            "analyze",
            "defects",
            "src",
            "--min-confidence",
            "0.1",
            "--explain",
            "--rank-by",
            "risk-per-line",
            "--format",
            "detailed",
            "--limit",
            "3",
        ),
        {
            "project_path": "src",
            "min_confidence": 0.1,
            "explain": True,
            "rank_by": "risk-per-line",
            "format": "detailed",
            "limit": 3,
        },
    ),
    Case(_DEFECTS, ("analyze", "defects", "--sarif"), {"project_path": ".", "sarif": True}),
    Case(
        _DEFECTS,
        ("analyze", "defects", "--min-confidence", "1.5"),
        {"project_path": ".", "min_confidence": 1.5},
        "invalid_arguments",
    ),
    Case(
        _DEFECTS,
        ("analyze", "defects", "--format", "xml"),
        {"project_path": ".", "format": "xml"},
        "invalid_arguments",
    ),
    Case(_DEFECTS, ("analyze", "defects", "gone"), {"project_path": "gone"}, "not_found"),
    Case(_DEFECTS, ("analyze", "defects", "../x"), {"project_path": "../x"}, "invalid_path"),
]

_OUR_WORDS = "words or a sentence that stand in our code"

DEFECT_PLAIN_TEXT = {
    "Baseline.reason": _OUR_WORDS,
    "DefectPrediction.contributions": _OUR_WORDS,
    "DefectPrediction.contributing_factors": _OUR_WORDS,
    "DefectPrediction.measures": _OUR_WORDS,
    "DefectPrediction.missing": "the names of features, the reasons beside them cleaned",
    "DefectPrediction.recommendations": _OUR_WORDS,
    "DefectSummary.missing": _OUR_WORDS,
    "DefectSummary.reasons": "the names of features, the reasons beside them cleaned",
    "Defects.files_skipped": _OUR_WORDS,
    "Defects.method": _OUR_WORDS,
    "Model.assumed": _OUR_WORDS,
    "Model.name": _OUR_WORDS,
    "Model.weights": _OUR_WORDS,
    "RiskyCommit.committed_at": "a moment, written by us as RFC 3339",
    "RiskyCommit.id": "hexadecimal digits of a commit",
}
