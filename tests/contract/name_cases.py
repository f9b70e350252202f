"""Arguments for the similarity of names, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

_NAMES = "analyze_name_similarity"

NAME_CASES = [
    Case(_NAMES, ("analyze", "names", "calculateTotal"), {"query": "calculateTotal"}),
    Case(
        _NAMES,
        ("analyze", "names", "mayn", "src", "--phonetic", "--scope", "functions", "--format", "detailed"),
        {
            "query": "mayn",
            "project_path": "src",
            "phonetic": True,
            "scope": "functions",
            "format": "detailed",
        },
    ),
    Case(
        _NAMES,
        ("analyze", "names", "größe", ".", "--top-k", "1", "--format", "json"),
        {"query": "größe", "project_path": ".", "top_k": 1, "format": "json"},
    ),
    Case(_NAMES, ("analyze", "names"), {}, "invalid_arguments"),
    Case(_NAMES, ("analyze", "names", "__"), {"query": "__"}, "invalid_arguments"),
    Case(_NAMES, ("analyze", "names", "x", "gone"), {"query": "x", "project_path": "gone"}, "not_found"),
    Case(_NAMES, ("analyze", "names", "x", "../x"), {"query": "x", "project_path": "../x"}, "invalid_path"),
    Case(_NAMES, ("analyze", "names", "x", "--top-k", "0"), {"query": "x", "top_k": 0}, "invalid_arguments"),
    Case(
        _NAMES,
        ("analyze", "names", "x", "--scope", "files"),
        {"query": "x", "scope": "files"},
        "invalid_arguments",
    ),
    Case(
        _NAMES,
        ("analyze", "names", "x", "--format", "sarif"),
        {"query": "x", "format": "sarif"},
        "invalid_arguments",
    ),
]

NAME_PLAIN_TEXT = {
    "SimilarName.kind": "one of a list of words that stands in our code",
    "NameSimilarity.files_skipped": "words of ours, with numbers",
    "NameSimilarity.method": "sentences that stand in our code",
}
