"""What benchmarks measured is published with what it takes to measure it again."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

SECTION = re.compile(r"^## Analyses\n(.*?)^## ", re.MULTILINE | re.DOTALL)


@pytest.mark.requirement("analysis-124")
def test_the_speed_of_analyses_is_published_with_corpus_command_and_every_bar():
    [section] = SECTION.findall((ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"))
    assert "`bench.analysis TREE" in section
    assert "Django (2,929 files)" in section
    assert re.search(r"on \d{4}-\d{2}-\d{2}, load [\d.]+", section)
    rows = [row for row in section.splitlines() if row.startswith("| ")][2:]
    peers = ("lizard", "radon cc alone", "radon cc and hal", "jscpd")
    for peer in peers:
        assert len([row for row in rows if peer in row]) >= 2, peer
    assert all(row.rstrip(" |").endswith(("PASS", "FAIL")) for row in rows)
