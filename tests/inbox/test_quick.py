"""The quick way and the whole command line: the same answers, the same rows, or nothing at all."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.faces.cli import main as full_main
from holdfast.faces.cli.quick import attempt
from holdfast.inbox.schema import DATABASE_NAME
from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.quick import NeedsFullProgram, enclosing_repository
from tests.conftest import RunHoldfast

Rows = list[tuple[object, ...]]
Outcome = tuple[int | None, str, str, Rows]
Run = Callable[..., Outcome]

ORDINARY = {
    "the shortcut": ["send", "--file", "a.py", "--comment", "Hm"],
    "the whole name": ["inbox", "send", "--file", "a.py", "--comment", "Hm"],
    "short options": ["send", "-f", "a.py", "-c", "Hm"],
    "glued values": ["send", "--file=src/a b.py", "--comment=x=y", "--line=3"],
    "another order": ["send", "--line", "3-9", "--comment", "Hm", "--file", "a.py"],
    "as data": ["send", "--json", "--file", "a.py", "--comment", "Hm"],
    "as data with a line": ["send", "--file", "a.py", "--comment", "Hm", "--line", "7", "--json"],
    "any comment": ["send", "--file", "a.py", "--comment", 'Hm "quoted" $(x) `y`\n\\ 👩‍🚀 \x1b[1m\u202e'],
    "a comment like an option": ["send", "--file", "a.py", "--comment", "--json"],
    "a path to be put in order": ["send", "--file", "./src//x/../a.py", "--comment", "Hm"],
    "the work tree": ["send", "--file", ".", "--comment", "Hm"],
    "a directory": ["send", "--file", "src/", "--comment", "Hm"],
    "a hidden file": ["send", "--file", ".github/workflows/a.yml", "--comment", "Hm"],
    "a root": ["send", "--root", "{root}", "--file", "a.py", "--comment", "Hm"],
    "a root below": ["send", "--root", "{root}/src", "--file", "a.py", "--comment", "Hm"],
    "a whole path": ["send", "--file", "{root}/src/a.py", "--comment", "Hm"],
    "a name outside ASCII": ["send", "--file", "größe.py", "--comment", "Hm"],
    "a name outside ASCII as data": ["send", "--file", "größe.py", "--comment", "Hm", "--json"],
    "the last line": ["send", "--file", "a.py", "--comment", "Hm", "--line", "9"],
    "in any case": ["send", "--anyway", "--file", "a.py", "--comment", "Hm"],
    "draining nothing": ["inbox", "drain", "--hook"],
    "draining nothing as data": ["inbox", "drain", "--json"],
}

LEFT_TO_THE_WHOLE = {
    "no file": ["send", "-f", "", "-c", "Hm"],
    "a glued short option": ["send", "-fa.py", "-c", "Hm"],
    "both spellings": ["send", "-f", "a.py", "--file", "b.py", "-c", "Hm"],
    "a short option for draining": ["inbox", "drain", "-f", "a.py"],
    "no comment": ["send", "--file", "a.py"],
    "an empty comment": ["send", "--file", "a.py", "--comment", ""],
    "blanks": ["send", "--file", "a.py", "--comment", " \t"],
    "no value": ["send", "--file", "a.py", "--comment"],
    "help": ["send", "--help"],
    "a typo": ["send", "--fil", "a.py", "--comment", "Hm"],
    "an author": ["send", "--file", "a.py", "--comment", "Hm", "--author", "Ada"],
    "a flag with a value": ["send", "--json=yes", "--file", "a.py", "--comment", "Hm"],
    "an option twice": ["send", "--file", "a.py", "--file", "b.py", "--comment", "Hm"],
    "an extra argument": ["send", "--file", "a.py", "--comment", "Hm", "more"],
    "a separator": ["send", "--file", "a.py", "--comment", "Hm", "--"],
    "a bad line": ["send", "--file", "a.py", "--comment", "Hm", "--line", "0"],
    "a backward range": ["send", "--file", "a.py", "--comment", "Hm", "--line", "9-3"],
    "an empty line": ["send", "--file", "a.py", "--comment", "Hm", "--line="],
    "a file outside": ["send", "--file", "../a.py", "--comment", "Hm"],
    "a file in .git": ["send", "--file", ".git/config", "--comment", "Hm"],
    "a disguised .git": ["send", "--file", "GIT~1/config", "--comment", "Hm"],
    "a stream": ["send", "--file", "a.py:x", "--comment", "Hm"],
    "a name with a final dot": ["send", "--file", "a.", "--comment", "Hm"],
    "a name with a combining mark": ["send", "--file", "gro\u0308ße.py", "--comment", "Hm"],
    "a disguised store": ["send", "--file", ".holdfaſt/a", "--comment", "Hm"],
    "a misspelt folder": ["send", "--file", "sarc/a.py", "--comment", "Hm"],
    "another case": ["send", "--file", "SRC/A.PY", "--comment", "Hm"],
    "a misspelt name": ["send", "--file", "src/b.py", "--comment", "Hm"],
    "a name with quotes": ["send", "--file", 'a"b.py', "--comment", "Hm", "--json"],
    "a control character": ["send", "--file", "a\tb.py", "--comment", "Hm"],
    "bytes that are no text": ["send", "--file", "a.py", "--comment", "\udcff"],
    "a long comment": ["send", "--file", "a.py", "--comment", "x" * 3000],
    "too long a comment": ["send", "--file", "a.py", "--comment", "x" * 10_001],
    "a root that is none": ["send", "--root", "/nonexistent", "--file", "a.py", "--comment", "Hm"],
    "an empty root": ["send", "--root=", "--file", "a.py", "--comment", "Hm"],
    "a bound": ["inbox", "drain", "--max-characters", "600"],
    "another command": ["inbox", "check"],
    "the group alone": ["inbox"],
    "a file that is gone": ["send", "--file", "zzzz", "--comment", "Hm"],
    "a folder that is gone": ["send", "--file", "zzzz/a.py", "--comment", "Hm"],
    "a file that is gone, anyway": ["send", "--anyway", "--file", "zzzz", "--comment", "Hm"],
    "a line that is not there": ["send", "--file", "a.py", "--comment", "Hm", "--line", "10"],
    "a line of a folder": ["send", "--file", "src", "--comment", "Hm", "--line", "1"],
    "an unknown command": ["inbox", "sned"],
}


def without_moments(text: str) -> str:
    return re.sub(r"m_[0-9a-f]{16}", "m_", re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "T", text))


def rows(repository: Path) -> Rows:
    connection = sqlite3.connect(repository / ".git" / "holdfast" / DATABASE_NAME)
    try:
        query = (
            "SELECT file, comment, line, author, length(time), length(digest), work_tree, lease FROM message"
        )
        return connection.execute(f"{query} WHERE sequence > 1").fetchall()
    finally:
        connection.close()


@pytest.fixture
def warm(repository: Path, run_holdfast: RunHoldfast, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose inbox was used before, and is empty again."""
    for name in ("a.py", "größe.py", "src/a.py", "src/a b.py", ".github/workflows/a.yml"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("line\n" * 9, encoding="utf-8")
    assert full_main(["send", "--file", ".", "--comment", "First", "--root", str(repository)]) == 0
    assert full_main(["inbox", "check", "--root", str(repository)]) == 0
    monkeypatch.chdir(repository)
    return repository


@pytest.fixture
def outcomes(warm: Path, capfd: pytest.CaptureFixture[str]) -> Callable[[list[str]], tuple[Outcome, Outcome]]:
    """Run a command the quick way and the whole way, each as the first."""

    def run(arguments: list[str]) -> tuple[Outcome, Outcome]:
        arguments = [argument.replace("{root}", str(warm)) for argument in arguments]
        results: list[Outcome] = []
        for way in (attempt, full_main):
            capfd.readouterr()
            status = way(arguments)
            captured = capfd.readouterr()
            results.append((status, without_moments(captured.out), captured.err, rows(warm)))
            with sqlite3.connect(warm / ".git" / "holdfast" / DATABASE_NAME) as connection:
                connection.execute("DELETE FROM message WHERE sequence > 1")
            connection.close()
        return results[0], results[1]

    return run


@pytest.mark.parametrize("form", ORDINARY)
def test_an_ordinary_command_has_the_same_outcome_both_ways(
    outcomes: Callable[[list[str]], tuple[Outcome, Outcome]], form: str
):
    quick, full = outcomes(ORDINARY[form])
    assert quick == full
    assert quick[0] == 0


@pytest.mark.parametrize("form", LEFT_TO_THE_WHOLE)
def test_whatever_is_not_ordinary_is_left_untouched(
    outcomes: Callable[[list[str]], tuple[Outcome, Outcome]], form: str
):
    quick, _ = outcomes(LEFT_TO_THE_WHOLE[form])
    assert quick == (None, "", "", [])


def test_a_second_send_within_the_second_is_a_duplicate_both_ways(
    warm: Path, capfd: pytest.CaptureFixture[str]
):
    arguments = ["send", "--file", "a.py", "--comment", "Hm", "--json"]
    statuses: list[int | None] = []
    while True:
        capfd.readouterr()
        statuses = [attempt(arguments), full_main(arguments), attempt(arguments)]
        receipts = capfd.readouterr().out.splitlines()
        if len(set(re.findall(r'"time":"([^"]+)"', "".join(receipts)))) == 1:
            break
    assert statuses == [0, 0, 0]
    assert receipts[1] == receipts[2] == receipts[0].replace("false", "true")


def test_from_a_directory_below_files_are_named_from_there(
    outcomes: Callable[[list[str]], tuple[Outcome, Outcome]], warm: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("src/b.py", "src/d.py", "c.py"):
        (warm / name).touch()
    monkeypatch.chdir(warm / "src")
    for file in ("a.py", "./b.py", "../c.py", "src/d.py"):
        quick, full = outcomes(["send", "--file", file, "--comment", "Hm"])
        assert quick == full
        assert quick[0] == 0


def test_the_root_may_come_from_the_environment(
    outcomes: Callable[[list[str]], tuple[Outcome, Outcome]],
    warm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOLDFAST_ROOT", str(warm))
    quick, full = outcomes(["send", "--file", "a.py", "--comment", "Hm"])
    assert quick == full
    assert quick[0] == 0


def test_waiting_messages_are_left_to_the_whole(warm: Path, legacy_file: Path):
    assert attempt(["inbox", "drain"]) == 0
    legacy_file.write_text("{}", encoding="utf-8")
    assert attempt(["inbox", "drain"]) is None
    legacy_file.unlink()
    assert attempt(["send", "--file", "a.py", "--comment", "Hm"]) == 0
    assert attempt(["inbox", "drain"]) is None


def test_a_hook_prints_what_waits_both_ways_and_once(warm: Path, capfd: pytest.CaptureFixture[str]):
    (warm / "src" / "a.py").write_text("changed\n", encoding="utf-8")
    outcomes = []
    for way in (attempt, full_main):
        assert full_main(["send", "--file", "src/a.py", "--comment", "Hm", "--root", str(warm)]) == 0
        assert full_main(["send", "--file", "a.py", "--line", "3", "--comment", f"Of {way.__module__}"]) == 0
        capfd.readouterr()
        status = way(["inbox", "drain", "--hook"])
        captured = capfd.readouterr()
        outcomes.append((status, without_moments(captured.out).replace(way.__module__, ""), captured.err))
        assert attempt(["inbox", "drain", "--hook"]) == 0
        assert capfd.readouterr().out == ""
        with sqlite3.connect(warm / ".git" / "holdfast" / DATABASE_NAME) as connection:
            connection.execute("DELETE FROM message WHERE sequence > 1")
        connection.close()
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 0
    assert outcomes[0][1].count("Please improve this code.") == 2


def test_what_a_hook_could_not_write_waits_on(warm: Path, room: Inbox):
    room.send("a.py", "Hm")
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "holdfast", "inbox", "drain", "--hook"]
        assert subprocess.run(command, stdout=full, stderr=subprocess.DEVNULL).returncode == 74
    assert [message.comment for message in room.take().messages] == ["Hm"]


@pytest.mark.parametrize("name", ["pydantic", "click", "mcp"])
def test_a_hook_that_prints_loads_no_library(warm: Path, room: Inbox, name: str):
    room.send("a.py", "Hm")
    code = f"import sys; sys.modules[{name!r}] = None; from holdfast.__main__ import main; sys.exit(main())"
    arguments = ["inbox", "drain", "--hook"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout.count("Comment: Hm"), done.stderr) == (0, 1, "")


def spoil_version(store: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def spoil_application(store: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA application_id = 1")
    connection.close()


SPOILED: dict[str, Callable[[Path], object]] = {
    "missing": lambda store: store.unlink(),
    "empty": lambda store: store.write_bytes(b""),
    "no database": lambda store: store.write_bytes(b"x" * 8192),
    "newer": spoil_version,
    "foreign": spoil_application,
    "unmarked": lambda store: store.with_name(f"{DATABASE_NAME}.created").unlink(),
    "a link": lambda store: store.symlink_to(store.rename(store.with_name("elsewhere"))),
}


@pytest.mark.parametrize("form", SPOILED)
def test_a_store_that_is_not_as_it_should_be_is_left_untouched(warm: Path, form: str):
    store = warm / ".git" / "holdfast" / DATABASE_NAME
    SPOILED[form](store)
    before = {path.name: path.read_bytes() for path in store.parent.iterdir()}
    assert attempt(["send", "--file", "a.py", "--comment", "Hm"]) is None
    assert attempt(["inbox", "drain"]) is None
    assert {path.name: path.read_bytes() for path in store.parent.iterdir()} == before


def test_the_log_that_quick_sends_leave_stays_small(warm: Path, room: Inbox):
    for number in range(120):
        assert attempt(["send", "--file", "a.py", "--comment", f"Remark {number}"]) == 0
    log = warm / ".git" / "holdfast" / f"{DATABASE_NAME}-wal"
    assert log.stat().st_size < 500_000
    assert room.count("pending") == 120
    room.close()
    assert not log.exists(), "whoever comes without hurry puts it away"


def git(*arguments: str | Path) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


@pytest.fixture
def layouts(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Every kind of place a command may be started in."""
    (repository / "src" / "deep").mkdir(parents=True)
    git("-C", repository, "commit", "--allow-empty", "-m", "First")
    git("-C", repository, "worktree", "add", tmp_path / "worktree")
    (tmp_path / "worktree" / "src").mkdir()
    git("init", tmp_path / "library")
    monkeypatch.setenv("EMAIL", "ada@example.org")
    git("-C", tmp_path / "library", "commit", "--allow-empty", "-m", "First")
    git("-C", repository, "-c", "protocol.file.allow=always", "submodule", "add", tmp_path / "library", "sub")
    (tmp_path / "link").symlink_to(repository / "src")
    (repository / "emptied" / ".git").mkdir(parents=True)
    (tmp_path / "git-link").mkdir()
    (tmp_path / "git-link" / ".git").symlink_to(repository / ".git")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_text("gitdir: /nonexistent\n", encoding="utf-8")
    (tmp_path / "nonsense").mkdir()
    (tmp_path / "nonsense" / ".git").write_text("nonsense\n", encoding="utf-8")
    (tmp_path / "plain").mkdir()
    git("init", "--bare", tmp_path / "bare.git")
    names = ("worktree", "worktree/src", "link", "git-link", "broken", "nonsense", "plain", "bare.git")
    inside = {name: repository / name for name in ("", "src/deep", "sub", "emptied", ".git", ".git/refs")}
    return inside | {name: tmp_path / name for name in names}


def test_the_repository_is_the_same_one_or_left_to_the_whole(layouts: dict[str, Path]):
    found: set[str] = set()
    for name, path in layouts.items():
        try:
            root, directory = enclosing_repository(str(path))
            quick = root, f"{directory}/{DATABASE_NAME}"
        except NeedsFullProgram:
            continue
        found.add(name)
        full = Repository.discover(path)
        assert quick == (full.root, os.path.join(full.store_directory, DATABASE_NAME)), name
    assert {"", "src/deep", "worktree", "worktree/src", "sub", "link", "git-link"} <= found
    for name in set(layouts) - found:
        assert name in {"emptied", "broken", "nonsense", "plain", "bare.git"}
    with pytest.raises(HoldfastError):
        Repository.discover(layouts["broken"])


@pytest.mark.parametrize("target", [">/dev/full", ">&-"])
def test_an_answer_that_cannot_be_written_ends_alike_both_ways(warm: Path, target: str):
    holdfast = Path(sys.executable).with_name("holdfast")
    ends = []
    for environment in ({}, {"HOLDFAST_NO_QUICK": "1"}):
        done = subprocess.run(
            ["bash", "-c", f'"$0" send --file a.py --comment "$1" {target}', holdfast, f"Hm {environment}"],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
        ends.append((done.returncode, done.stderr))
    assert ends[0] == ends[1]
    assert ends[0][0] == 74
    assert len(rows(warm)) == 2, "what was stored before the answer failed stays stored"


@pytest.mark.parametrize(
    "arguments",
    [
        ORDINARY["draining nothing"],
        ORDINARY["any comment"],
        ORDINARY["as data with a line"],
        LEFT_TO_THE_WHOLE["a bad line"],
        LEFT_TO_THE_WHOLE["a typo"],
    ],
)
def test_the_installed_command_answers_alike_both_ways(
    warm: Path, run_holdfast: RunHoldfast, arguments: list[str]
):
    quick, full = (
        run_holdfast(*(value.replace("Hm", f"Hm {way}") for value in arguments), env={**os.environ, **way})
        for way in ({}, {"HOLDFAST_NO_QUICK": "1"})
    )
    assert quick.returncode == full.returncode
    assert without_moments(quick.stdout) == without_moments(full.stdout)
    assert quick.stderr == full.stderr


HEAVY = {"click", "dataclasses", "hashlib", "inspect", "json", "pathlib", "pydantic", "re", "sqlite3"} | {
    "subprocess",
    "threading",
    "typing",
}


@pytest.mark.parametrize(
    "arguments", [ORDINARY["the shortcut"], ORDINARY["as data"], ORDINARY["draining nothing"]]
)
def test_quick_commands_load_next_to_nothing(warm: Path, arguments: list[str]):
    code = "import sys; from holdfast.__main__ import main; assert main() == 0; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, *arguments], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "holdfast.inbox.quick" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("arguments", [["inbox", "drain", "--hook"], ["inbox", "drain", "--json"]])
def test_where_nobody_ever_sent_anything_nothing_is_loaded_and_nothing_made(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], arguments: list[str]
):
    monkeypatch.chdir(repository)
    assert attempt(arguments) == 0
    quick = capfd.readouterr()
    assert not (repository / ".git" / "holdfast").exists()
    assert full_main(arguments) == 0
    assert quick == capfd.readouterr()


def test_a_store_that_is_gone_is_not_taken_for_one_that_never_was(warm: Path):
    (warm / ".git" / "holdfast" / DATABASE_NAME).unlink()
    assert attempt(["inbox", "drain", "--hook"]) is None


def test_a_file_that_does_not_exist_is_refused_with_the_closest_name(warm: Path, run_holdfast: RunHoldfast):
    refused = run_holdfast("send", "--file", "src/a_b.py", "--comment", "Hm")
    assert refused.returncode == NotFound.exit_code
    assert "There is no file src/a_b.py in this repository." in refused.stderr
    assert "Did you mean src/a b.py?" in refused.stderr
    assert "--anyway" in refused.stderr
    assert "Did you" not in run_holdfast("send", "--file", "elsewhere/z", "--comment", "Hm").stderr
    assert rows(warm) == []


def test_a_file_that_only_ends_like_another_is_not_taken_for_it(warm: Path, run_holdfast: RunHoldfast):
    (warm / "src/user.py").touch()
    assert "Did you" not in run_holdfast("send", "--file", "src/server.py", "--comment", "Hm").stderr


def test_a_line_that_does_not_exist_is_refused(warm: Path, run_holdfast: RunHoldfast):
    refused = run_holdfast("send", "--file", "a.py", "--comment", "Hm", "--line", "8-10")
    assert refused.returncode == NotFound.exit_code
    assert "a.py has 9 lines, so there is no line 10." in refused.stderr
    assert rows(warm) == []
    run_holdfast("send", "--file", "a.py", "--comment", "Hm", "--line", "8-9", check=True)


def test_what_is_missing_is_sent_anyway_on_request(warm: Path, run_holdfast: RunHoldfast):
    told = run_holdfast("send", "--anyway", "--file", "zzzz", "--comment", "Hm", check=True).stdout
    assert told.splitlines() == [
        "Message sent successfully for zzzz",
        "There is no file zzzz in this repository.",
    ]
    run_holdfast("send", "--anyway", "--file", "a.py", "--comment", "Hm", "--line", "99", check=True)
    assert [row[0] for row in rows(warm)] == ["zzzz", "a.py"]


def test_what_the_last_commit_has_can_be_named(warm: Path, run_holdfast: RunHoldfast):
    for command in (["add", "-A"], ["commit", "--quiet", "--message=All"], ["rm", "--quiet", "src/a b.py"]):
        subprocess.run(["git", *command], cwd=warm, check=True)
    (warm / "a.py").write_text("shorter\n", encoding="utf-8")
    for words in (["--file", "src/a b.py", "--line", "9"], ["--file", "a.py", "--line", "9"]):
        told = run_holdfast("send", *words, "--comment", "Hm", check=True).stdout
        assert told == f"Message sent successfully for {words[1]}\n"


@pytest.mark.strace
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_failed_flush_stores_a_message_once_at_most(warm: Path, number: int):
    """The disk fails at one flush; the row may be in the log already when it does."""
    failing = ["strace", "-f", "-qq", "-o", os.devnull]
    failing += ["-e", f"inject=fsync,fdatasync:error=EIO:when={number}"]
    # The clock of the command moves on a second with each look, so that a second attempt has another time.
    program = (
        "import itertools, sys, time\n"
        "seconds = itertools.count(int(time.time()))\n"
        "time.time = lambda: next(seconds)\n"
        "from holdfast.__main__ import main\n"
        "sys.argv = ['holdfast', 'send', '--file', 'a.py', '--comment', 'Once']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([*failing, sys.executable, "-c", program], cwd=warm, capture_output=True, text=True)
    stored = [row for row in rows(warm) if row[1] == "Once"]
    assert len(stored) <= 1
    assert stored or done.returncode != 0
    assert done.returncode == 0 or "the disk reported an error" in done.stderr
