"""What the documents say about milestones is what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast.kernel.codes import CODE_NAMES
from holdfast.milestones.filter.fields import FIELDS
from holdfast.milestones.filter.parser import parse_filter
from holdfast.milestones.index.query import SORT_COLUMNS
from holdfast.toolsets import full_registry

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "milestones.md").read_text(encoding="utf-8")
CLIENTS = (ROOT / "docs" / "reference" / "mcp-clients.md").read_text(encoding="utf-8")


def test_the_guide_names_every_field_sort_key_and_command() -> None:
    for name in (*FIELDS, *SORT_COLUMNS):
        assert f"`{name}`" in GUIDE, name
    for operation in full_registry().operations:
        if operation.toolset == "milestones":
            assert f"`{operation.command}`" in GUIDE, operation.command


def test_every_filter_in_the_guide_can_be_read() -> None:
    found = re.findall(r"--filter '([^']+)'", GUIDE) + re.findall(r"S-expressions: `([^`]+)`", GUIDE)
    assert len(found) == 2
    for text in found:
        assert parse_filter(text, "issue", 0.0) is not None


@pytest.mark.requirement("milestones-38", "milestones-39")
def test_the_page_for_clients_has_setup_verification_codes_and_policy() -> None:
    for heading in ("## Set up", "## What was verified", "## Errors", "## Policy"):
        assert heading in CLIENTS
    for code, name in CODE_NAMES["git-mile"].items():
        assert f"| {code} | {name} |" in CLIENTS
    assert "additionalProperties: false" in CLIENTS


@pytest.mark.requirement("milestones-41")
def test_the_changelog_tells_changes_of_the_protocol_under_their_own_heading() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    protocol = changes.partition("### MCP")[2]
    assert "git_mile.list" in protocol
