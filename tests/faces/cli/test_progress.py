"""The line that says how far an operation is."""

from __future__ import annotations

import io

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
    drawn, cleared = stream.getvalue().split("\r\x1b[K")[1:]
    assert drawn.startswith("[############............]  50% a long a long")
    assert len(drawn) < 80
    assert cleared == ""


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
