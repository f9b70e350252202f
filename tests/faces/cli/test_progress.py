"""The line that says how far an operation is."""

from __future__ import annotations

import io
import itertools
import re
from contextlib import suppress

from holdfast.faces.cli.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_updates_come_at_most_ten_times_a_second() -> None:
    moments = iter([0.0, 0.05, 0.09, 0.11])
    stream = Terminal()
    line = ProgressLine(stream, clock=lambda: next(moments))
    for step in range(4):
        line.progress(step, None, None)
    assert stream.getvalue().split("\r\x1b[K") == ["", "0 ", "3 "]


def test_the_line_is_no_wider_than_the_terminal() -> None:
    stream = Terminal()
    with ProgressLine(stream) as line:
        line.progress(1, 2, "a\nlong " * 100)
    drawn, full, cleared = stream.getvalue().split("\r\x1b[K")[1:]
    assert drawn.startswith("[############............]  50% a long a long")
    assert len(drawn) < 80
    assert full == "[########################] 100%"
    assert cleared == ""


def _shares(shown: str) -> list[int]:
    return [int(each) for each in re.findall(r"(\d+)%", shown)]


def test_the_bar_of_several_stages_only_grows_and_ends_full() -> None:
    stream = Terminal()
    with ProgressLine(stream, stages=3, clock=itertools.count().__next__) as line:
        for done, total in [(0, 4), (2, 4), (4, 4), (0, 100), (50, 100), (1, 2), (2, 2)]:
            line.progress(done, total, "reading")
    assert _shares(stream.getvalue()) == [0, 17, 33, 33, 50, 50, 67, 100]


def test_more_stages_than_announced_never_shrink_the_bar() -> None:
    stream = Terminal()
    with ProgressLine(stream, clock=itertools.count().__next__) as line:
        for done in (5, 10, 0, 7):
            line.progress(done, 10, "")
    assert _shares(stream.getvalue()) == [50, 100, 100, 100, 100]


def test_a_count_without_a_total_leaves_the_bar_where_it_is() -> None:
    stream = Terminal()
    with ProgressLine(stream, stages=2, clock=itertools.count().__next__) as line:
        line.progress(7, None, "looking")
        line.progress(1, 2, "reading")
        line.progress(8, None, "looking")
    assert "\r\x1b[K7 looking\r" in stream.getvalue()
    assert _shares(stream.getvalue()) == [25, 25, 100]


def test_a_failure_does_not_fill_the_bar() -> None:
    stream = Terminal()
    with suppress(ZeroDivisionError), ProgressLine(stream) as line:
        line.progress(1, 2, "")
        raise ZeroDivisionError
    assert "100%" not in stream.getvalue()


def test_more_than_everything_is_everything() -> None:
    stream = Terminal()
    ProgressLine(stream).progress(30, 20, "")
    assert "100%" in stream.getvalue()


def test_nothing_reported_leaves_nothing_behind() -> None:
    stream = Terminal()
    with ProgressLine(stream):
        pass
    assert stream.getvalue() == ""


def test_no_terminal_is_drawn_on() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        line.progress(1, 2, "working")
    assert stream.getvalue() == ""
