"""The reports hold the figures that were measured, and say so when they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench._results import Bar, Results, read
from bench.growth import FLAT, LINEAR, exponent, verdict
from bench.pages import main

PAGE = """# Figures
<!-- bars -->
<!-- end -->
<!-- results wire: requests -->
<!-- end -->
Prose that stays.
<!-- results wire: lists -->
<!-- end -->
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    results = Results("bench.wire", "forty tools", {"peer": "1.2"})
    results.table("requests", ("", "peer", "ratio"), [("a call", "5 ms", 0.34), ("a | b", None, 1200)])
    results.table("lists", ("what",), [("all",)])
    results.bar("a call", 0.34, 0.45, against="peer")
    results.bar("calls a second", 50, 100, better="higher")
    results.bar("memory", None, 100, note="the peer is not here")
    results.save(tmp_path / "results")
    (tmp_path / "performance.md").write_text(PAGE, encoding="utf-8")
    assert main(["--write", "--docs", str(tmp_path)]) == 0
    return tmp_path


def test_a_page_is_filled_with_tables_their_origin_and_bars_the_missed_ones_first(docs: Path):
    text = (docs / "performance.md").read_text(encoding="utf-8")
    assert "| a call | 5 ms | 0.34 |\n| a \\| b | | 1,200 |\n<!-- end -->\nProse that stays." in text
    assert text.count("peer 1.2). forty tools.") == 1
    verdicts = ["**misses** by 50.0%", "not measured: the peer is not here", "| holds |"]
    assert sorted(verdicts, key=text.index) == verdicts
    assert "3 bars: 1 missed, 1 not measured, 1 held." in text
    assert main(["--check", "--docs", str(docs)]) == 0


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("| a call | 5 ms |", "| a call | 1 ms |", "performance.md: other figures than"),
        ("1 missed", "0 missed", "performance.md: other figures than"),
        ("<!-- results wire: lists -->", "", "results/wire.json: no page shows its table 'lists'"),
        ("wire: lists -->", "wire: tools -->", "performance.md: there are no results wire: tools"),
        ("wire: lists -->", "other: lists -->", "performance.md: there are no results other: lists"),
        (
            "<!-- end -->\nProse",
            "Prose",
            "performance.md: the region <!-- results wire: requests --> has no end",
        ),
    ],
    ids=["tampered table", "tampered bars", "missing region", "no such table", "no such file", "open region"],
)
def test_a_page_that_differs_from_what_was_measured_fails_the_check(
    docs: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, problem: str
):
    page = docs / "performance.md"
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new), encoding="utf-8")
    assert main(["--check", "--docs", str(docs)]) == 1
    assert problem in capsys.readouterr().out


def test_results_that_no_page_shows_fail_the_check(docs: Path, capsys: pytest.CaptureFixture[str]):
    Results("bench.forgotten").save(docs / "results")
    assert main(["--check", "--docs", str(docs)]) == 1
    assert "results/forgotten.json: no page shows" in capsys.readouterr().out


def test_what_was_saved_is_read_again_as_it_was(docs: Path):
    kept = read(docs / "results" / "wire.json")
    assert kept.tables["requests"]["rows"] == [["a call", "5 ms", 0.34], ["a | b", None, 1200]]
    assert [bar.holds for bar in kept.bars] == [True, False, None]
    kept.save(docs / "again")
    assert (docs / "again" / "wire.json").read_bytes() == (docs / "results" / "wire.json").read_bytes()


def test_a_bar_without_figure_needs_a_reason():
    with pytest.raises(ValueError, match="a reason"):
        Bar("memory", None, 100)


def test_the_reports_of_this_repository_are_what_was_measured(capsys: pytest.CaptureFixture[str]):
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_curves_become_small_pictures_with_the_same_bytes_each_time_that_the_page_has_to_show(
    docs: Path, capsys: pytest.CaptureFixture[str]
):
    growth = Results("bench.growth")
    growth.table("tasks", ("ms", "10", "1,000", "exponent"), [("add", 1.5, 2, 0.1), ("list", 1, None, None)])
    growth.save(docs / "results")
    page = docs / "performance.md"
    text = f"{page.read_text(encoding='utf-8')}<!-- results growth: tasks -->\n<!-- end -->\n"
    page.write_text(text, encoding="utf-8")
    assert main(["--write", "--docs", str(docs)]) == 1
    assert "does not show pictures/growth-tasks.svg" in capsys.readouterr().out
    page.write_text(f"{text}![Growth](pictures/growth-tasks.svg)\n", encoding="utf-8")
    assert main(["--write", "--docs", str(docs)]) == 0
    picture = docs / "pictures" / "growth-tasks.svg"
    assert 1_000 < picture.stat().st_size < 60_000
    assert main(["--check", "--docs", str(docs)]) == 0
    picture.write_bytes(picture.read_bytes().replace(b"add", b"sub"))
    assert main(["--check", "--docs", str(docs)]) == 1
    assert "growth-tasks.svg: other figures" in capsys.readouterr().out


def test_exponents_tell_flat_linear_and_worse_apart():
    flat = exponent({10: 9.0, 1_000: 1.0, 10_000: 1.1, 100_000: 1.2})
    linear = exponent({1_000: 1.0, 10_000: 10.0, 100_000: 100.0})
    worse = exponent({1_000: 1.0, 10_000: 100.0})
    assert linear == pytest.approx(1)
    assert exponent({10: 1.0, 1_000: 2.0}) is None
    assert [verdict(one, LINEAR) for one in (flat, linear, worse)] == [
        "flat",
        "linear at most",
        "**worse than linear**",
    ]
    assert verdict(linear, FLAT) == "linear at most, **should be flat**"
