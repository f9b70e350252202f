"""Arguments for looking at sources, as a program sends them and as a person types them."""

from __future__ import annotations

from tests.contract.case import Case

SOURCE_CASES = [
    Case("list_files", ("source", "list")),
    Case("list_files", ("source", "list", "src", "--limit", "1"), {"folder": "src", "limit": 1}),
    Case("list_files", ("source", "list", "gone"), {"folder": "gone"}, "not_found"),
    Case("list_files", ("source", "list", "src/main.py"), {"folder": "src/main.py"}, "invalid_path"),
    Case("list_files", ("source", "list", "../x"), {"folder": "../x"}, "invalid_path"),
    Case("list_files", ("source", "list", "--limit", "0"), {"limit": 0}, "invalid_arguments"),
    Case("find_files", ("source", "find", "srcmain"), {"query": "srcmain"}),
    Case("find_files", ("source", "find", "main", "--limit", "1"), {"query": "main", "limit": 1}),
    Case("find_files", ("source", "find", ""), {"query": ""}, "invalid_arguments"),
    Case("read_source", ("source", "read", "src/main.py"), {"file": "src/main.py"}),
    Case(
        "read_source",
        ("source", "read", "src/main.py", "--revision", "HEAD", "--start", "2", "--limit", "1"),
        {"file": "src/main.py", "revision": "HEAD", "start": 2, "limit": 1},
    ),
    Case("read_source", ("source", "read", "gone.py"), {"file": "gone.py"}, "not_found"),
    Case(
        "read_source",
        ("source", "read", "src/main.py", "--revision", "nowhere"),
        {"file": "src/main.py", "revision": "nowhere"},
        "not_found",
    ),
    Case("read_source", ("source", "read", "../x"), {"file": "../x"}, "invalid_path"),
    Case(
        "read_source",
        ("source", "read", "src/main.py", "--start", "0"),
        {"file": "src/main.py", "start": 0},
        "invalid_arguments",
    ),
    Case("read_diff", ("source", "diff", "staged"), {"what": "staged"}),
    Case(
        "read_diff",
        ("source", "diff", "range", "--base", "HEAD", "--revision", "HEAD", "--context", "0"),
        {"what": "range", "base": "HEAD", "revision": "HEAD", "context": 0},
    ),
    Case(
        "read_diff",
        ("source", "diff", "commit", "--revision", "gone", "--file", "a.py"),
        {"what": "commit", "revision": "gone", "file": "a.py"},
        "not_found",
    ),
    Case("read_diff", ("source", "diff", "range"), {"what": "range"}, "invalid_arguments"),
    Case("read_diff", ("source", "diff", "all"), {"what": "all"}, "invalid_arguments"),
    Case("read_blame", ("source", "blame", "src/main.py"), {"file": "src/main.py"}),
    Case("read_blame", ("source", "blame", "gone.py"), {"file": "gone.py"}, "not_found"),
    Case("read_blame", ("source", "blame", "../x"), {"file": "../x"}, "invalid_path"),
]

SOURCE_PLAIN_TEXT = {
    "BlameSpan.commit": "hexadecimal digits of a commit",
    "BlameSpan.time": "a time that our code writes",
    "FoundPlace.kind": "a SymbolKind in small letters, which stands in our code",
    "Diff.old": "hexadecimal digits of a commit or tree",
    "Diff.new": "hexadecimal digits of a commit",
    "Diff.note": "a sentence that stands in our code, with a number",
    "DiffFile.mode": "two modes as git writes them, in digits",
    "DiffFile.note": "a sentence that stands in our code",
    "DiffFile.version": "hexadecimal digits of a checksum",
    "OutlineEntry.kind": "a SymbolKind, which stands in our code",
    "SourceLines.revision": "hexadecimal digits of a commit",
    "SourceLines.language": "a name that stands in our code",
    "SourceLines.digest": "hexadecimal digits of a checksum",
}
