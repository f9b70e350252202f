"""Delivered means written: streams that end, fill up, block, or belong to a terminal."""

from __future__ import annotations

import array
import fcntl
import json
import os
import signal
import subprocess
import termios
from pathlib import Path

import pytest

from tests.faces.cli.conftest import Ask
from tests.faces.cli.programs import ROOT, SAMPLE, Program
from tests.waiting import wait_until

BIG = 5_000_000
PIPE = 65_536


def test_what_was_written_counts_as_delivered(program: Program) -> None:
    answer = program.run("sample", "hand-over")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "x\n", "")
    assert program.settlements() == ["delivered"]


def test_what_fails_after_the_answer_is_told_without_a_second_document(program: Program) -> None:
    answer = program.run("sample", "hand-over", "--no-settle", "--json")
    assert answer.returncode == 70
    assert json.loads(answer.stdout) == {"received": {}, "text": "x"}
    assert "Error: Something went wrong inside Holdfast" in answer.stderr


def test_what_fails_after_a_failure_does_not_hide_it(program: Program) -> None:
    with Path("/dev/full").open("wb") as full:
        answer = program.run(
            "sample", "hand-over", "--no-settle", capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert (answer.returncode, "No space left on device" in answer.stderr) == (74, True)


def test_a_large_result_arrives_whole_before_it_counts(program: Program) -> None:
    answer = program.run("sample", "hand-over", "--size", str(BIG))
    assert len(answer.stdout) == BIG + 1
    assert program.settlements() == ["delivered"]


def test_a_reader_that_left_keeps_the_result_and_nobody_is_bothered(program: Program) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    answer = program.run("sample", "hand-over", capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (answer.returncode, answer.stderr) == (141, "")
    assert program.settlements() == ["kept"]


def test_a_reader_that_leaves_midway_keeps_the_result(program: Program) -> None:
    process = program.start(
        "sample", "hand-over", "--size", str(BIG), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert (process.stderr.read(), process.wait(60)) == (b"", 141)
    process.stderr.close()
    assert program.settlements() == ["kept"]


@pytest.mark.parametrize("arguments", [["sample", "hand-over"], ["--help"], ["sample", "damage", "--json"]])
def test_a_full_disk_is_told_and_nothing_counts_as_delivered(program: Program, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        answer = program.run(*arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert answer.returncode == 74
    assert "Error: The result could not be written: No space left on device." in answer.stderr
    assert "Traceback" not in answer.stderr
    assert program.settlements() in ([], ["kept"])


def test_a_closed_standard_output_is_told(program: Program) -> None:
    answer = _through_shell(program, "sample hand-over >&-")
    assert (answer.returncode, "Standard output is closed." in answer.stderr) == (74, True)
    assert program.settlements() == ["kept"]


def test_a_closed_standard_error_changes_nothing(program: Program) -> None:
    answer = _through_shell(program, "sample fail --kind NotFound 2>&-")
    assert (answer.returncode, answer.stdout, answer.stderr) == (3, "", "")


def _is_full(pipe: int) -> bool:
    """Return whether as much waits in a pipe as it holds, so that its writer has to wait."""
    waiting = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    return waiting[0] >= PIPE


def test_an_output_that_does_not_block_is_waited_for(program: Program) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = program.start("sample", "hand-over", "--size", str(BIG), stdout=writing)
    os.close(writing)
    while not _is_full(reading):
        assert process.poll() is None
    with open(reading, "rb") as pipe:
        assert len(pipe.read()) == BIG + 1
    assert process.wait(60) == 0


def test_output_is_utf_8_whatever_the_locale(program: Program) -> None:
    latin = program.with_environment(LC_ALL="en_US.ISO-8859-1", PYTHONIOENCODING="latin-1")
    assert latin.run("describe", "größe 🌊").stdout == "a red größe 🌊\n"


@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_with_its_status_and_no_traceback(
    program: Program, sent: signal.Signals, status: int
) -> None:
    process = program.start("sample", "dawdle", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _wait_for(program.directory / "started")
    process.send_signal(sent)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (status, b"", b"")
    assert program.settlements() == ["kept"]


def test_words_lose_what_nobody_can_see(ask: Ask) -> None:
    assert ask("sample", "say", "--text", r"a\x1b[31mb\u202ec\u200bd")[1] == "abcd\n"


def test_nothing_to_say_writes_nothing(ask: Ask) -> None:
    assert ask("sample", "say", "--text", "") == (0, "", "")


def test_text_that_ends_its_line_gets_no_second_end(ask: Ask) -> None:
    assert ask("sample", "say", "--text", r"line\n") == (0, "line\n", "")


def test_on_a_terminal_a_carriage_return_cannot_cover_text(program: Program) -> None:
    assert program.on_terminal("sample", "say", "--text", r"evil\rgood") == (0, "evil\ngood\n")


def test_on_a_terminal_json_is_indented_and_hides_nothing(program: Program) -> None:
    status, shown = program.on_terminal("describe", "größe", "--source-path", "a\u202eb", "--json")
    assert status == 0
    assert '  "received": {\n    "thing": ' in shown
    assert json.loads(shown)["received"] == {"thing": "größe", "sourcePath": "ab"}


def test_an_error_is_red_on_a_terminal(program: Program) -> None:
    assert program.on_terminal("describe")[1].startswith("\x1b[31m\x1b[1mError:\x1b[0m ")
    assert "\x1b[1mToolsets:\x1b[0m" in program.on_terminal("--help")[1]


@pytest.mark.parametrize("refusal", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(program: Program, refusal: dict[str, str]) -> None:
    plain = program.with_environment(**refusal)
    status, told = plain.on_terminal("describe")
    assert (status, told.splitlines()[0]) == (2, "Error: missing argument THING.")
    assert "\x1b" not in told
    assert "\x1b" not in plain.on_terminal("--help")[1]


def test_an_empty_refusal_of_colour_refuses_nothing(program: Program) -> None:
    assert "\x1b[31m" in program.with_environment(NO_COLOR="").on_terminal("describe")[1]


def test_a_report_is_laid_out_on_a_terminal_and_unchanged_elsewhere(program: Program) -> None:
    status, shown = program.with_environment(NO_COLOR="1").on_terminal("sample", "measure")
    assert status == 0
    assert shown == "Files\nName  Size\na.py     7\n\nrisk is high\n\nHow this is measured: --explain\n"
    assert "\x1b[31mhigh\x1b[0m" in program.on_terminal("sample", "measure")[1]
    text = "# Files\n| Name | Size |\n| --- | ---: |\n| a.py | 7 |\n\nrisk is high\n"
    assert program.run("sample", "measure").stdout == text


def test_how_figures_are_measured_is_told_on_request(program: Program) -> None:
    assert program.run("sample", "measure", "--explain").stdout.endswith("is high\n\nBy counting.\n")
    shown = program.on_terminal("sample", "measure", "--explain")[1]
    assert "By counting." in shown
    assert "--explain" not in shown
    assert json.loads(program.run("sample", "measure", "--json").stdout)["method"] == "By counting."


def test_other_formats_are_not_laid_out(program: Program) -> None:
    shown = program.on_terminal("sample", "measure", "--format", "markdown")[1]
    assert shown.startswith("# Files\n| Name | Size |\n")
    assert shown.endswith("By counting.\n")


def test_progress_is_one_line_on_a_terminal_and_is_gone_afterwards(program: Program) -> None:
    status, shown = program.on_terminal("sample", "dawdle", "--seconds", "0", "--steps", "3")
    assert status == 0
    assert "\r\x1b[K[........................]   0% step 0" in shown
    assert "\r\x1b[K[################........]  67% step 2" in shown
    assert "\x1b[31m" not in shown
    assert shown.endswith("100%\r\x1b[Kdone\n")


def test_progress_is_not_shown_to_programs(program: Program) -> None:
    answer = program.run("sample", "dawdle", "--seconds", "0", "--steps", "2")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "done\n", "")


def test_bytes_that_are_no_text_are_refused_politely(program: Program) -> None:
    answer = program.run("describe", b"caf\xe9", "--json")
    assert (answer.returncode, "Traceback" in answer.stderr) == (2, False)
    failure = json.loads(answer.stdout)["error"]
    assert failure["kind"] == "invalid_arguments"
    assert "argument THING" in failure["message"]


def test_an_unknown_name_of_bytes_that_are_no_text_is_told(program: Program) -> None:
    answer = program.run(b"caf\xe9", "--json")
    assert (answer.returncode, json.loads(answer.stdout)["error"]["kind"]) == (2, "unknown_tool")


def test_a_huge_argument_is_taken(program: Program) -> None:
    text = "x" * 100_000
    assert program.run("describe", text).stdout == f"a red {text}\n"


def _through_shell(program: Program, words: str) -> subprocess.CompletedProcess[str]:
    command = f"exec {' '.join(SAMPLE)} {words}"
    return subprocess.run(
        ["bash", "-c", command], env=program.variables(), cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def _wait_for(path: Path) -> None:
    wait_until(path.exists, f"{path.name} never appeared")
