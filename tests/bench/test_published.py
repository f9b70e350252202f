"""What benchmarks measured is published with what it takes to measure it again."""

from __future__ import annotations

import re

import pytest
from bench._results import FOLDER, ROOT, Results, read

PAGE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
PUBLISHED = [read(path) for path in sorted(FOLDER.glob("*.json")) if f"<!-- results {path.stem}: " in PAGE]


@pytest.mark.parametrize("results", PUBLISHED, ids=lambda results: results.name)
def test_figures_are_published_with_command_date_versions_and_every_bar(results: Results):
    assert results.command.startswith(f"python -m {results.program}")
    assert (ROOT / f"{results.program.replace('.', '/')}.py").exists()
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", results.date)
    assert "holdfast" in results.versions
    assert results.tables
    assert results.origin() in PAGE
    for bar in results.bars:
        assert f"| {bar.what} |" in PAGE


@pytest.mark.requirement("analysis-124")
def test_the_speed_of_analyses_is_published_beside_every_peer():
    results = read(FOLDER / "analysis.json")
    assert "2,929" in (results.corpus or "")
    for peer in ("lizard", "radon cc", "radon cc and hal", "jscpd"):
        assert len([bar for bar in results.bars if peer in bar.what]) >= 2, peer
    assert {"lizard", "radon", "jscpd"} <= results.versions.keys()


@pytest.mark.requirement("analysis-171")
def test_the_time_of_the_comprehensive_analysis_on_200_files_is_published():
    results = read(FOLDER / "comprehensive.json")
    [bar] = [bar for bar in results.bars if "200 files" in bar.what]
    assert (bar.bar, "143 ms" in bar.what) == (1, True)
    assert len(results.bars) == 5


@pytest.mark.requirement("reliability-E5")
def test_the_time_of_hostile_search_patterns_is_published_and_within_its_bar():
    [bar] = [bar for bar in read(FOLDER / "search.json").bars if "hostile patterns" in bar.what]
    assert (bar.bar, bar.holds) == (200, True)


def test_growth_is_published_up_to_a_hundred_thousand_with_an_exponent_for_every_curve():
    tables = read(FOLDER / "growth.json").tables
    assert set(tables) == {"notes", "notes-in-one-file", "issues", "tasks", "messages", "files"}
    for name, table in tables.items():
        largest = "10,000" if name == "notes-in-one-file" else "100,000"
        assert table["columns"][-3:] == [largest, "exponent", "verdict"]
        assert all(isinstance(row[-2], float) for row in table["rows"]), name
