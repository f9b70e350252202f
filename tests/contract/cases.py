"""Arguments for every operation, as a program sends them and as a person types them.

The cases run in this order against one repository, so that later ones see what earlier ones did.
`$cursor` stands for the cursor that the last page gave.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.contract.prepared import IDS

CURSOR = "$cursor"
MAKEFILE = "template://makefile/rust/cli"


@dataclass(frozen=True)
class Case:
    """One call of an operation."""

    operation: str
    typed: tuple[str, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    fails: str | None = None
    """The kind of the failure that is expected, or None for success."""

    def __str__(self) -> str:
        return " ".join(self.typed)[:60].replace("\n", " ")


CASES = [
    Case("list_messages", ("inbox", "list")),
    Case("list_messages", ("inbox", "list", "--state", "pending"), {"state": "pending"}),
    Case("list_messages", ("inbox", "list", "--limit", "2"), {"limit": 2}),
    Case("list_messages", ("inbox", "list", "--limit=2", "--cursor", CURSOR), {"limit": 2, "cursor": CURSOR}),
    Case("list_messages", ("inbox", "list", "--limit", "0"), {"limit": 0}, "invalid_arguments"),
    Case("list_messages", ("inbox", "list", "--limit", "many"), {"limit": "many"}, "invalid_arguments"),
    Case("list_messages", ("inbox", "list", "--cursor", "bad"), {"cursor": "bad"}, "invalid_cursor"),
    Case("show_message", ("inbox", "show", IDS[0]), {"message_id": IDS[0]}),
    Case("show_message", ("inbox", "show", IDS[1][:8]), {"message_id": IDS[1][:8]}),
    Case("show_message", ("inbox", "show", IDS[2]), {"message_id": IDS[2]}),
    Case("show_message", ("inbox", "show", "m_0000"), {"message_id": "m_0000"}, "not_found"),
    Case("show_message", ("inbox", "show"), {}, "invalid_arguments"),
    Case(
        "send_message",
        ("send", "--file", "src/main.py", "--comment", "One more", "--line", "2-3", "--author", "Ada"),
        {"file": "src/main.py", "comment": "One more", "line": "2-3", "author": "Ada"},
    ),
    Case(
        "send_message", ("send", "--file", "größe.py", "--comment", "ü"), {"file": "größe.py", "comment": "ü"}
    ),
    Case(
        "send_message",
        ("inbox", "send", "--file", "../outside", "--comment", "x"),
        {"file": "../outside", "comment": "x"},
        "invalid_path",
    ),
    Case(
        "send_message",
        ("send", "--file", "a.py", "--comment", "x" * 10_001),
        {"file": "a.py", "comment": "x" * 10_001},
        "invalid_arguments",
    ),
    Case("send_message", ("send",), {}, "invalid_arguments"),
    Case(
        "reply_to_message",
        ("inbox", "reply", IDS[1], "--text", "Settled"),
        {"message_id": IDS[1], "text": "Settled"},
    ),
    Case(
        "reply_to_message",
        ("inbox", "reply", "m_ffffffff", "-t", "Settled", "--author", "me"),
        {"message_id": "m_ffffffff", "text": "Settled", "author": "me"},
        "not_found",
    ),
    Case(
        "drain_messages",
        ("inbox", "drain", "--hook", "--max-characters", "500"),
        {"hook": True, "max_characters": 500},
    ),
    Case("check_lazygit_messages", ("inbox", "check")),
    Case("check_lazygit_messages", ("inbox", "check")),
    Case("drain_messages", ("inbox", "drain")),
    Case("list_messages", ("inbox", "list", "--state", "delivered"), {"state": "delivered"}),
    Case("list_templates", ("templates", "list", "--category", "makefile"), {"category": "makefile"}),
    Case("list_templates", ("templates", "list", "--toolchain", "cobol"), {"toolchain": "cobol"}),
    Case("search_templates", ("templates", "search", "rust cli makefile"), {"query": "rust cli makefile"}),
    Case("search_templates", ("templates", "search", ""), {"query": ""}, "invalid_arguments"),
    Case(
        "generate_template",
        ("templates", "generate", MAKEFILE, "--parameters", '{"project_name": "kelp", "features": ["a"]}'),
        {"resource_uri": MAKEFILE, "parameters": {"project_name": "kelp", "features": ["a"]}},
    ),
    Case(
        "generate_template",
        ("templates", "generate", "template://makefile/rust/gui", "--parameters", "{}"),
        {"resource_uri": "template://makefile/rust/gui", "parameters": {}},
        "template_not_found",
    ),
    Case(
        "generate_template",
        ("templates", "generate", "template://makefile/../rust", "--parameters", "{}"),
        {"resource_uri": "template://makefile/../rust", "parameters": {}},
        "invalid_template_uri",
    ),
    Case(
        "generate_template",
        ("templates", "generate", MAKEFILE, "--parameters", '{"project_name": "a/b"}'),
        {"resource_uri": MAKEFILE, "parameters": {"project_name": "a/b"}},
        "parameter_validation",
    ),
    Case(
        "validate_template",
        ("templates", "validate", MAKEFILE, "--parameters", '{"project_name": "kelp"}'),
        {"resource_uri": MAKEFILE, "parameters": {"project_name": "kelp"}},
    ),
    Case(
        "scaffold_project",
        ("templates", "scaffold", "go", "--templates", "all", "--parameters", '{"project_name": "kelp"}'),
        {"toolchain": "go", "templates": ["all"], "parameters": {"project_name": "kelp"}},
    ),
    Case(
        "scaffold_project",
        ("templates", "scaffold", "go", "--templates", "all", "--parameters", '{"nam": "kelp"}'),
        {"toolchain": "go", "templates": ["all"], "parameters": {"nam": "kelp"}},
        "parameter_validation",
    ),
    Case("check_stores", ("doctor",)),
    Case("check_stores", ("stores", "check", "--fix"), {"fix": True}),
]
