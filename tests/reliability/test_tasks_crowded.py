"""Many processes at one list of tasks, on both engines: no task to two, no change lost, nobody busy."""

from __future__ import annotations

import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.history import state_of
from holdfast.tasks.store.lease import LEASE_SECONDS
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.rows import task_by_uid
from holdfast.tasks.store.tasks import Tasks
from tests.reliability.evidence import Tally
from tests.reliability.harness import python, run_together
from tests.reliability.samples import samples
from tests.tasks.claims import claim_next
from tests.tasks.conftest import OpenTasks, TurnedClock
from tests.tasks.happenings import events_of, replayed

PROCESSES = 8
CLAIMS = samples("claims")
"""How many tasks the processes race for."""
UPDATES = 250

ROOM = """
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.lease import take_next
from holdfast.tasks.store.tasks import Tasks
room = Tasks(Repository.at(sys.argv[1]), database=sys.argv[2] or None)
name = sys.argv[3]
room.workspace()
def claim_next():
    with room.writing(CallerIdentity(name), concurrent=True) as transaction:
        return take_next(transaction)
"""

TAKE_ALL = f"""{ROOM}
gather()
taken = []
while (claimed := claim_next()) is not None:
    taken.append(claimed.task.id)
acknowledge(" ".join(taken))
"""

# Looks first and writes later, as everybody does who has no compare-and-set.
TAKE_WHAT_WAS_SEEN = f"""{ROOM}
gather()
taken = []
while True:
    with room.store.read() as connection:
        query = "SELECT uid, n FROM task WHERE status = 'backlog' ORDER BY n LIMIT 1"
        row = connection.execute(query).fetchone()
    if row is None:
        break
    with room.store.write() as connection:
        connection.execute("UPDATE task SET status = 'in-progress' WHERE uid = :uid", {{"uid": row[0]}})
    taken.append(f"TP-{{row[1]}}")
acknowledge(" ".join(taken))
"""

LABEL = f"""{ROOM}
gather()
for number in range({UPDATES}):
    change = Change(add={{"labels": [f"{{name}}-{{number}}"]}})
    room.update(f"TP-{{1 + number % 4}}", change, CallerIdentity(name))
"""

TAKE_AND_DIE = f"""{ROOM}
claim_next()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def crowd(room: Tasks, repository: Path, database: str | None):
    """Run a program in many processes at once and return what each printed."""

    def run(program: str, processes: int = PROCESSES) -> list[list[str]]:
        commands = [python(program, repository, database or "", f"p{number}") for number in range(processes)]
        outcomes = run_together(commands)
        assert [outcome.complaint for outcome in outcomes] == [""] * processes
        return [outcome.output.split() for outcome in outcomes]

    return run


def fill(room: Tasks, count: int) -> None:
    for start in range(0, count, 500):
        room.create(
            [Draft(f"Task {number}") for number in range(start, min(start + 500, count))],
            CallerIdentity("ada"),
        )


@pytest.mark.requirement("tasks-37")
@pytest.mark.evidence("B3", "tasks in {engine}", "8 processes claim tasks")
def test_eight_processes_take_each_task_once_and_none_is_busy(room: Tasks, crowd, engine: str, tally: Tally):
    fill(room, CLAIMS)
    started = time.monotonic()
    taken = crowd(TAKE_ALL)
    seconds = time.monotonic() - started
    everything = [task for one in taken for task in one]
    shares = [len(one) for one in taken]
    given = set(everything)
    tally(CLAIMS, CLAIMS + len(everything) - 2 * len(given), f"{seconds:.1f} s, each {shares}")
    assert len(everything) == len(given) == CLAIMS
    assert sum(bool(one) for one in taken) > 1
    with room.reading() as connection:
        held = connection.execute("SELECT n, claim_agent, version FROM task").fetchall()
        seqs = [
            row[0] for row in connection.execute("SELECT seq FROM event WHERE type = 'claimed' ORDER BY seq")
        ]
    owner = {task: f"p{number}" for number, one in enumerate(taken) for task in one}
    assert all((owner[f"TP-{n}"], 2) == (agent, version) for n, agent, version in held)
    assert len(seqs) == CLAIMS


@pytest.mark.evidence("B3", "tasks in {engine}", control="looks first and writes later")
def test_control_looking_first_and_writing_later_gives_a_task_to_several(room: Tasks, crowd, tally: Tally):
    fill(room, 150)
    taken = [task for one in crowd(TAKE_WHAT_WAS_SEEN) for task in one]
    tally(len(taken), len(taken) - len(set(taken)))
    assert len(taken) > len(set(taken))


@pytest.mark.requirement("reliability-B3")
@pytest.mark.evidence("B3", "tasks in {engine}", "8 processes make 250 updates each")
def test_b3_eight_processes_make_2000_updates_and_none_is_busy_or_lost(
    room: Tasks, crowd, engine: str, tally: Tally
):
    fill(room, 4)
    started = time.monotonic()
    crowd(LABEL)
    seconds = time.monotonic() - started
    expected = {f"p{process}-{number}" for process in range(PROCESSES) for number in range(UPDATES)}
    with room.reading() as connection:
        found = {row[0] for row in connection.execute("SELECT label FROM label")}
        tally(len(expected), expected ^ found, f"{seconds:.1f} s")
        assert found == expected
        versions = [row[0] for row in connection.execute("SELECT version FROM task")]
        assert sum(versions) == 4 + len(expected)
        for uid, state in replayed(events_of(room, limit=1_000_000)).items():
            assert state_of(connection, task_by_uid(connection, uid)) == state


@pytest.mark.requirement("tasks-39")
def test_what_a_killed_holder_had_goes_to_the_next_one_when_its_lease_ends(
    open_tasks: OpenTasks, room: Tasks, repository: Path, database: str | None, clock: TurnedClock
):
    fill(room, 1)
    [outcome] = run_and_die(repository, database)
    assert outcome == -9
    assert claim_next(room, CallerIdentity("next")) is None
    clock.now = datetime.now(UTC)
    clock.turn(seconds=LEASE_SECONDS)
    taken = claim_next(open_tasks(), CallerIdentity("next"))
    assert taken is not None
    assert taken.previous is not None
    assert (taken.task.id, taken.previous.claim_agent) == ("TP-1", "dying")


def run_and_die(repository: Path, database: str | None) -> list[int]:
    done = subprocess.run(
        python(TAKE_AND_DIE, repository, database or "", "dying"), capture_output=True, timeout=60
    )
    return [done.returncode]


def test_two_who_begin_at_the_same_moment_end_up_in_one_workspace(repository: Path, database: str | None):
    program = """
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.tasks.store.tasks import Tasks
room = Tasks(Repository.at(sys.argv[1]), database=sys.argv[2] or None)
gather()
acknowledge(ensure_workspace(room, "Kelp", [], "criteria")[0].id)
"""
    outcomes = run_together([python(program, repository, database or "") for _ in range(4)])
    assert [outcome.complaint for outcome in outcomes] == [""] * 4
    room = Tasks(Repository.at(repository), database=database)
    found = [workspace.id for workspace in room.workspaces()]
    room.close()
    assert {outcome.output.split()[0] for outcome in outcomes} == set(found)
    assert len(found) == 1
