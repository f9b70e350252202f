"""Without room on a disk, or on one to read only, all can be read, and what writes says why it cannot."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.contract.prepared import environment, prepare
from tests.reliability.evidence import Tally

READING = """
import errno, json, subprocess, sys, shutil
from contextlib import closing
from pathlib import Path

place, kind, kept = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
def mount(*words):
    subprocess.run(["mount", *words, str(place)], check=True)
if kind in ("full", "crowded"):
    mount("-t", "tmpfs", "-o", "size=24m,nr_inodes=4000", "none")
shutil.copytree(kept, place, dirs_exist_ok=True, symlinks=True)
if kind == "full":
    with open(place / ".git" / "filling", "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC
if kind == "crowded":
    (place / ".git" / "crowd").mkdir()
    try:
        for number in range(4000):
            (place / ".git" / "crowd" / str(number)).touch()
    except OSError as error:
        assert error.errno == errno.ENOSPC
if kind == "read-only":
    mount("--bind", str(place))
    mount("-o", "remount,ro,bind")

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.operation import Effect
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.contract.case import CURSOR
from tests.contract.cases import CASES

registry = full_registry()
operations = {operation.listed_name: operation for operation in registry.operations}
answers = {}
for case in CASES:
    operation = operations.get(case.operation)
    if operation is None or case.fails or CURSOR in case.arguments.values():
        continue
    reads = operation.effect is Effect.READ
    if not reads and case.operation not in WRITES:
        continue
    with (
        closing(Workspace.discover(place)) as workspace,
        closing(Dispatcher(registry, workspace.room)) as dispatcher,
    ):
        try:
            result = dispatcher.run(operation, case.arguments, dispatcher.new_call())
            answer = result.model_dump_json() if reads else "written"
        except HoldfastError as failure:
            answer = f"{failure.kind}: {failure.message} {failure.hint}"
    answers[f"{'read' if reads else 'write'} {case.operation} {case.arguments}"] = answer
print(json.dumps(answers))
"""

WRITES = ("add_comment", "send_message", "git_mile_create", "taskpilot_add", "taskpilot_create_task")
"""One or two of each room that keeps something."""

_VOLATILE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|[0-9a-f]{8,}"
    r'|"(?:analysis_duration|cache_stats)":\{[^}]*\}|"(?:cache_hit_rate|files_with_symbols)":[^,}]*'
    r'|"(?:milliseconds|bytes)":[^,}]*|"files":\[\{"path":"\.git/holdfast[^\]]*\]'
)
"""What differs each time: times, names, sizes of stores, and what caches had (none on a full disk)."""


class Machine:
    """A repository with something in every room, looked at by processes to which the disk is refused."""

    def __init__(self, home: Path, kept: Path, place: Path) -> None:
        self.home = home
        self.kept = kept
        self._place = place

    def answers(self, kind: str, change: str = "") -> dict[str, str]:
        shutil.rmtree(self._place, ignore_errors=True)
        self._place.mkdir()
        program = f"WRITES = {WRITES!r}\n{change}\n{READING}"
        namespace = [] if kind == "ordinary" else ["unshare", "--mount"]
        done = subprocess.run(
            [*namespace, sys.executable, "-c", program, str(self._place), kind, str(self.kept)],
            capture_output=True,
            text=True,
            env=environment(self.home),
            cwd=ROOT,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        found: dict[str, Any] = json.loads(done.stdout)
        return {key: _VOLATILE.sub("…", answer) for key, answer in found.items()}


def read(answers: dict[str, str]) -> dict[str, str]:
    return {key: answer for key, answer in answers.items() if key.startswith("read ")}


def written(answers: dict[str, str]) -> dict[str, str]:
    return {key: answer for key, answer in answers.items() if key.startswith("write ")}


ONLY_READING = "WRITES = ()"
LEAVE_LOGS = """
import os
from holdfast.inbox.store import Inbox
from holdfast.storage.git.repository import Repository
room = Inbox.open(Repository.at(sys.argv[1]))
room.send("a.py", "The last one")
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder = tmp_path_factory.mktemp("machine")
    home = folder / "home"
    return Machine(home, prepare(folder / "kept", home), folder / "repository")


@pytest.fixture(scope="module")
def expected(machine: Machine) -> dict[str, str]:
    return read(machine.answers("ordinary", ONLY_READING))


REASONS = {"full": "out_of_space: ", "crowded": "out_of_space: ", "read-only": "denied: "}
WORDS = {"full": "the disk is full", "crowded": "the disk is full", "read-only": "read-only file system"}


@pytest.mark.mounts
@pytest.mark.parametrize("kind", REASONS)
@pytest.mark.evidence("A4", "all rooms", "{kind} file system: each reading and writing operation", every=True)
def test_everything_can_be_read_and_what_writes_says_why_it_cannot(
    machine: Machine, expected: dict[str, str], kind: str, tally: Tally
) -> None:
    answers = machine.answers(kind)
    wrong = {key: answer for key, answer in read(answers).items() if answer != expected[key]}
    tally(len(answers), wrong)
    assert wrong == {}
    assert len(expected) > 45
    refused = written(answers)
    assert len(refused) >= len(WRITES)
    assert [answer for answer in refused.values() if not answer.startswith(REASONS[kind])] == []
    assert [answer for answer in refused.values() if WORDS[kind] not in answer] == []


@pytest.mark.mounts
@pytest.mark.evidence("A4", "all rooms", control="SQLite and the index by themselves")
def test_control_what_sqlite_and_the_index_refuse_by_themselves_is_nearly_everything(
    machine: Machine, expected: dict[str, str], tally: Tally
) -> None:
    without = """
from holdfast.storage.sql import derived, snapshot
snapshot.write_obstacle = lambda *_: None
derived.CANNOT_WRITE = ()
WRITES = ()
"""
    answers = read(machine.answers("read-only", without))
    tally(len(answers), sum(answer != expected[key] for key, answer in answers.items()))
    assert sum(answer != expected[key] for key, answer in answers.items()) > 30


@pytest.mark.mounts
@pytest.mark.parametrize("kind", REASONS)
@pytest.mark.parametrize("is_copy", [False, True])
@pytest.mark.evidence(
    "A4", "all rooms", "{kind} file system: what a killed writer left in its log", every=True
)
def test_what_a_killed_writer_left_in_its_log_is_read_too(
    tmp_path: Path, machine: Machine, kind: str, is_copy: bool
) -> None:
    """Also where SQLite's list of what is in the log is missing, as in a copy of the files."""
    kept = tmp_path / "kept"
    shutil.copytree(machine.kept, kept, symlinks=True)
    subprocess.run([sys.executable, "-c", f"import sys\n{LEAVE_LOGS}", str(kept)], check=False)
    store = kept / ".git/holdfast"
    assert (store / "inbox.sqlite-wal").stat().st_size > 0
    if is_copy:
        (store / "inbox.sqlite-shm").unlink()
    answers = read(Machine(machine.home, kept, tmp_path / "repository").answers(kind, ONLY_READING))
    assert "The last one" in answers["read list_messages {}"]
