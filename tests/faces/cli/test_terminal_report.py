"""How a report looks on a terminal."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.faces.cli.terminal_report import terminal_report
from holdfast.kernel.text import display_width


def _plain(text: str, **_style: Any) -> str:
    return text


def _marked(text: str, **style: Any) -> str:
    return f"<{style.get('fg', 'bold')}:{text}>"


def test_a_table_in_markdown_becomes_aligned_columns() -> None:
    text = "| Place | Score | Why |\n| --- | ---: | --- |\n| `a.py:1` | 9 | 1 \\| 2 |\n| b.py | 10 | &lt;T> |"
    assert terminal_report(text, 80, _plain).splitlines() == [
        "Place   Score  Why",
        "a.py:1      9  1 | 2",
        "b.py       10  <T>",
    ]


def test_only_the_longest_cells_of_a_table_are_cut() -> None:
    text = f"| Name | Why |\n| --- | --- |\n| a | {'word ' * 40}|"
    header, row = terminal_report(text, 30, _plain).splitlines()
    assert (header, row[:9], row[-1], display_width(row)) == ("Name  Why", "a     wor", "…", 30)


def test_sentences_are_wrapped_below_themselves_and_columns_are_not() -> None:
    text = "1. **First**: some words\n   a      b      c      d"
    assert terminal_report(text, 16, _plain).splitlines() == [
        "1. First: some",
        "   words",
        "   a      b      c      d",
    ]


def test_headings_and_levels_are_styled_and_names_are_not() -> None:
    text = "## Findings\n\nrisk: high, medium, high.py, error_count, FAILED"
    assert terminal_report(text, 80, _marked).splitlines() == [
        "<bold:Findings>",
        "risk: <red:high>, <yellow:medium>, high.py, error_count, <red:FAILED>",
    ]


@given(st.text(alphabet="ab |-:*`#\\\n", max_size=200), st.integers(1, 60))
def test_any_text_is_laid_out(text: str, width: int) -> None:
    laid_out = terminal_report(text, width, _plain)
    assert laid_out.count("a") <= text.count("a")
