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
]

SOURCE_PLAIN_TEXT: dict[str, str] = {}
