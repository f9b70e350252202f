"""What benchmarks measured is published with what it takes to measure it again."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

SECTION = re.compile(r"^## Analyses\n(.*?)^## ", re.MULTILINE | re.DOTALL)


@pytest.mark.requirement("analysis-124")
def test_the_speed_of_analyses_is_published_with_corpus_command_and_every_bar():
    [section] = SECTION.findall((ROOT / "docs" / "performance.md").read_text(encoding="utf-8"))
    assert "`bench.analysis TREE" in section
    assert "Django (2,929 files)" in section
    assert re.search(r"on \d{4}-\d{2}-\d{2}, load [\d.]+", section)
    rows = [row for row in section.splitlines() if row.startswith("| ")][2:]
    peers = ("lizard", "radon cc alone", "radon cc and hal", "jscpd")
    for peer in peers:
        assert len([row for row in rows if peer in row]) >= 2, peer
    assert all(row.rstrip(" |").endswith(("PASS", "FAIL")) for row in rows)


@pytest.mark.requirement("analysis-171")
def test_the_time_of_the_comprehensive_analysis_on_200_files_is_published_with_every_bar():
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    section = text.partition("## Comprehensive analysis\n")[2].partition("\n## ")[0]
    assert "`bench.comprehensive TREE" in section
    assert re.search(r"on \d{4}-\d{2}-\d{2}, load [\d.]+", section)
    assert re.search(
        r"^\| 200 files in a running server.*\| 143 ms \| \d+ ms \|.*(PASS|FAIL) \|$", section, re.MULTILINE
    )
    assert len(re.findall(r"(PASS|FAIL) \|$", section, re.MULTILINE)) == 5
