"""`git mile` as a person types it."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.faces.cli import git_mile
from holdfast.kernel.text import display_width
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.models import MileItem
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import items_table
from holdfast.storage.git.repository import Repository
from tests import forked
from tests.milestones.session import GIT_MILE, MILESTONE, fill

Run = Callable[..., subprocess.CompletedProcess[str]]
PROGRAMS = str(Path(sys.executable).parent)


@pytest.fixture
def mile(repository: Path) -> Run:
    """Run `git mile` in the repository, as git would."""

    def run(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
        variables |= more.pop("env", {})  # type: ignore[arg-type]
        options = {"capture_output": True, "text": True, "timeout": 60, "cwd": repository, **more}
        return forked.run([GIT_MILE, *arguments], env=variables, **options)  # type: ignore[arg-type]

    return run


def test_git_finds_the_command_and_a_day_of_work_goes_through_it(mile: Run, repository: Path) -> None:
    created = mile("create", "milestone", "Milestone Alpha", "--label", "alpha")
    milestone = created.stdout.removeprefix("Created ").strip()
    issue = json.loads(mile("create", "issue", "Panel", "--milestone", milestone, "--json").stdout)["id"]
    assert mile("comment", issue, "--body", "Seen").returncode == 0
    assert mile("label", issue, "--add", "bug").stdout == f"{issue[:8]}: labels changed\n"
    assert mile("assign", issue).returncode == 0
    assert mile("claim", issue, "--minutes", "5").stdout.startswith(f"{issue[:8]}: claimed by Ada")
    assert mile("list").stdout == f"{issue[:8]}  open  Panel  bug  1 comment\n"
    assert mile("list", "milestone").stdout == f"{milestone[:8]}  open  Milestone Alpha  alpha  1 open\n"
    assert mile("ready").stdout == "Nothing is ready to be worked on.\n"
    assert mile("close", issue[:6], "--comment", "Done").stdout == f"{issue[:8]}: closed\n"
    words = mile("show", issue).stdout
    for part in (
        "Panel",
        "Status:",
        "closed",
        "Assignee:",
        "Ada",
        "Seen",
        "Done",
        "Claimed by:",
        f"Milestone Alpha ({milestone})",
    ):
        assert part in words
    told = mile("log", issue).stdout
    assert "set status closed" in told
    assert ": create title Panel, milestone " in told
    assert "{" not in mile("log").stdout
    assert ": create title Milestone Alpha, labels alpha" in mile("log").stdout
    status = subprocess.run(["git", "status", "--porcelain"], cwd=repository, capture_output=True, text=True)
    assert status.stdout == ""


def test_help_speaks_of_git_mile(mile: Run) -> None:
    page = mile("-h").stdout
    listed = {line.split()[0] for line in page.splitlines() if line.startswith("  ") and line.strip()}
    assert {"init", "create", "list", "show", "open", "close", "comment", "label", "link"} <= listed
    assert {"assign", "claim", "ready", "log", "sync", "import", "export", "mcp-server"} <= listed
    assert "\n  git mile list issue --filter" in mile("list", "-h").stdout


def test_mistakes_are_told_with_a_next_step_and_a_status(mile: Run) -> None:
    unknown = mile("lst")
    assert (unknown.returncode, 'Did you mean "list"?' in unknown.stderr) == (2, True)
    absent = mile("show", "deadbeef", "--json")
    assert absent.returncode == 3
    assert json.loads(absent.stdout)["error"]["kind"] == "unknown_entity"
    bad = mile("list", "--filter", "statu == open")
    assert (bad.returncode, "column 1" in bad.stderr) == (2, True)


def test_a_description_is_written_in_the_editor_of_the_person(mile: Run, tmp_path: Path) -> None:
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\nprintf "was: " > "$1.new"; cat "$1" >> "$1.new"; mv "$1.new" "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    named = {"GIT_MILE_EDITOR": f"'{editor}'"}
    created = mile("create", "issue", "Panel", "--description", "draft", "--editor", "--json", env=named)
    name = json.loads(created.stdout)["id"]
    assert json.loads(mile("show", name, "--json").stdout)["description"] == "was: draft"
    assert mile("comment", name, "--editor", env=named).returncode == 0


@pytest.mark.parametrize("editor", ["true", "false", "", "/no/such/editor", "'open quote"])
def test_an_editor_that_wrote_nothing_does_nothing(mile: Run, editor: str) -> None:
    variables = {"GIT_MILE_EDITOR": editor, "VISUAL": "", "EDITOR": ""}
    finished = mile("create", "issue", "Panel", "--editor", env=variables)
    assert finished.returncode in (2, 10)
    assert finished.stderr.startswith("Error: ")
    assert mile("list").stdout == "Nothing found.\n"


def test_no_editor_that_a_repository_names_is_run(mile: Run, repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    subprocess.run(["git", "config", "core.editor", f"touch {trap}"], cwd=repository, check=True)
    finished = mile(
        "create", "issue", "x", "--editor", env={"VISUAL": "", "EDITOR": "", "GIT_MILE_EDITOR": ""}
    )
    assert finished.returncode == 10
    assert not trap.exists()


def test_tables_fit_the_terminal_whatever_the_letters() -> None:
    row = {
        "id": MILESTONE,
        "title": "日本語のとても長い題名 " * 5,
        "status": "open",
        "labels": ["a-rather-long-label", "another"],
        "stats": {"comment_count": 3, "open_issues": 12},
    }
    items = [MileItem.model_validate(fields) for fields in (row, {**row, "title": "Short", "labels": []})]
    for width in (60, 80, 120):
        lines = items_table(items, width).splitlines()
        assert all(display_width(line) <= width for line in lines)
    assert "…" in lines[0]
    assert display_width("日本") == 4
    assert "another" in items_table(items[:1], 10_000)


def test_a_terminal_gets_lines_that_fit_it(repository: Path) -> None:
    fill(repository)
    room = Milestones(Repository.discover(repository))
    room.create(EntityDraft("issue", "A title " * 40))
    room.close()
    lines = on_a_terminal([GIT_MILE, "list"], repository, 50).splitlines()
    assert len(lines) == 3
    assert max(display_width(line) for line in lines) == 50


def on_a_terminal(command: list[str], cwd: Path, width: int) -> str:
    import fcntl
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    subprocess.run(command, cwd=cwd, stdout=slave, stderr=slave, check=True)
    os.close(slave)
    text = b""
    try:
        while block := os.read(master, 65536):
            text += block
    except OSError:
        pass
    os.close(master)
    return text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("arguments", [[], ["--json"], ["milestone"]])
def test_a_new_clone_is_told_how_to_get_the_issues_of_its_remote(
    arguments: list[str], repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    subprocess.run(["git", "remote", "add", "origin", "elsewhere"], check=True)
    assert git_mile.main(["list", *arguments]) == 0
    assert "`git mile sync`" in capfd.readouterr().out


def test_nobody_waits_for_an_index_that_is_a_pipe(repository: Path, mile: Run) -> None:
    fill(repository)
    before = mile("list").stdout
    (index,) = (repository / ".git" / "holdfast").glob("milestones-*.sqlite")
    index.unlink()
    os.mkfifo(index)
    assert (mile("list").stdout, mile("list").returncode) == (before, 0)


def test_an_answer_that_found_no_room_is_not_told_to_be_asked_for_again(repository: Path, mile: Run) -> None:
    command = f"{GIT_MILE} create issue Once >/dev/full"
    told = subprocess.run(["sh", "-c", command], cwd=repository, capture_output=True, text=True)
    assert (
        told.returncode,
        "Check what was done before you repeat a command that writes." in told.stderr,
    ) == (74, True)
    assert mile("list").stdout.count("Once") == 1


@pytest.mark.parametrize(
    ("closed", "status"), [("<&-", 0), ("2>&-", 0), ("<&- 2>&-", 0), (">&-", 10), ("<&- >&- 2>&-", 10)]
)
def test_a_server_with_closed_streams_ends_in_order(closed: str, status: int, repository: Path) -> None:
    command = f"exec {GIT_MILE} mcp-server {'</dev/null' if '<' not in closed else ''} {closed}"
    told = subprocess.run(["sh", "-c", command], cwd=repository, capture_output=True, text=True, timeout=60)
    assert (told.returncode, "inside Holdfast" in told.stderr) == (status, False)


def test_no_file_of_ours_gets_the_number_of_a_closed_stream(repository: Path) -> None:
    program = (
        "import os; from holdfast.faces.cli.git_mile import main; main(['create', 'issue', 'Quiet'])\n"
        "assert [os.readlink(f'/proc/self/fd/{number}') for number in range(3)] == [os.devnull] * 3"
    )
    command = f'exec {sys.executable} -c "$0" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", command, program], cwd=repository).returncode == 0


def test_a_repository_that_git_names_is_not_mistaken_for_that_of_the_directory(
    repository: Path, tmp_path: Path
) -> None:
    other, path = tmp_path / "other", f"{Path(GIT_MILE).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["git", "init", "--quiet", other], check=True)

    def told(*options: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = ["git", *options, "mile", "create", "issue", "Here"]
        environment = {**os.environ, "PATH": path, **more}
        return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)

    elsewhere = told(f"--git-dir={other / '.git'}")
    assert (elsewhere.returncode, "another repository" in elsewhere.stderr) == (2, True)
    assert [told(GIT_DIR=".git").returncode, told("-C", str(other)).returncode] == [0, 0]


def test_the_doctor_names_a_damaged_log_and_is_well_outside_git(
    mile: Run, repository: Path, tmp_path: Path
) -> None:
    doctor = [str(Path(GIT_MILE).with_name("holdfast")), "doctor"]
    plain = tmp_path / "plain"
    plain.mkdir()
    assert subprocess.run(doctor, cwd=plain, capture_output=True).returncode == 0
    assert mile("create", "issue", "Panel").returncode == 0
    assert subprocess.run(doctor, cwd=repository, capture_output=True).returncode == 0
    (repository / ".git" / "refs" / "holdfast" / "log" / "broken").write_text("1" * 40 + "\n")
    told = subprocess.run(doctor, cwd=repository, capture_output=True, text=True)
    assert told.returncode == 8
    assert "refs/holdfast/log/broken" in told.stdout
    listed = json.loads(mile("list", "--json").stdout)
    assert [item["title"] for item in listed["items"]] == ["Panel"]
    assert "refs/holdfast/log/broken" in listed["hint"]
