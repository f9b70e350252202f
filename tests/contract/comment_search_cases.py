"""Calls that search, list and export comments, the files they find, and why their plain text is safe."""

from __future__ import annotations

import json
from pathlib import Path

from tests.comments.making import annotate, comment
from tests.contract.case import Case

SOURCE = "def limit(rate):\n    return rate\n\n\nprint(limit(1))\n"
FILTERS = {"tag": "TODO", "filePath": "lib/**", "hasAIMetadata": True}
OPTIONS = {"includeSourceContext": True, "contextLines": 1}
BACKWARDS = {"dateRange": {"start": "yesterday"}}

COMMENT_SEARCH_CASES = [
    Case("search_comments", ("comments", "search", "rate limit"), {"query": "rate limit"}),
    Case(
        "search_comments",
        ("comments", "search", "limit(er|ing)", "--filters", json.dumps(FILTERS), "--limit", "5"),
        {"query": "limit(er|ing)", "filters": FILTERS, "limit": 5},
    ),
    Case("search_comments", ("comments", "search", "(unfinished"), {"query": "(unfinished"}),
    Case("search_comments", ("comments", "search", ""), {"query": ""}, "invalid_arguments"),
    Case(
        "search_comments",
        ("comments", "search", "x", "--filters", json.dumps(BACKWARDS)),
        {"query": "x", "filters": BACKWARDS},
        "invalid_arguments",
    ),
    Case(
        "search_comments",
        ("comments", "search", "x", "--limit", "1001"),
        {"query": "x", "limit": 1001},
        "invalid_arguments",
    ),
    Case("list_comments", ("comments", "list", "lib/"), {"file": "lib/"}),
    Case(
        "list_comments",
        ("comments", "list", "--status", "open", "--match", "hidden", "--no-ai", "--limit", "3"),
        {"status": "open", "match": "hidden", "ai": False, "limit": 3},
    ),
    Case("list_orphans", ("comments", "orphans")),
    Case("list_orphans", ("comments", "orphans", "lib/**"), {"file": "lib/**"}),
    Case(
        "export_comments",
        ("comments", "export-answer", "jsonl", "--options", json.dumps(OPTIONS)),
        {"format": "jsonl", "options": OPTIONS},
    ),
    Case(
        "export_comments",
        ("comments", "export-answer", "json", "--file-path", "lib/limits.py"),
        {"format": "json", "filePath": "lib/limits.py"},
    ),
    Case("export_comments", ("comments", "export-answer", "markdown"), {"format": "markdown"}),
    Case("export_comments", ("comments", "export-answer", "xml"), {"format": "xml"}, "invalid_arguments"),
    Case(
        "export_comments",
        ("comments", "export-answer", "json", "--file-path", "lib/missing.py"),
        {"format": "json", "filePath": "lib/missing.py"},
        "source_not_found",
    ),
]

COMMENT_SEARCH_PLAIN_TEXT = {
    "ExportResult.blob": "bytes in base64",
    "ExportResult.mime_type": "a sentence or name that stands in our code",
    "ExportResult.uri": "a sentence or name that stands in our code",
    "FoundComment.id": "c_ and digits: stored so, or derived from what is stored",
    "SearchMetadata.filters": "what the caller has just sent, given back to the caller alone",
}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""


def fill_searched(path: Path) -> None:
    """Give a repository a file with comments to find, one of them with something hidden in it."""
    annotate(
        path,
        "lib/limits.py",
        SOURCE,
        comment(901, 1, "TODO: rate limiting, and a rate limit", aiMeta={"model": "m", "confidence": 0.5}),
        comment(902, 5, "Something hidden \x1b[31mred\u202e text", author="Gr\u200bace", tag="NOTE"),
    )
    annotate(path, "lib/gone.py", "x = 1\n", comment(903, 1, "Its code is gone"))
    (path / "lib" / "gone.py").unlink()
