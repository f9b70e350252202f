"""Many writers on one repository: every acknowledged operation is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.milestones.index.query import EntityQuery
from tests.milestones.clones import git, issue, opened
from tests.reliability.evidence import Tally
from tests.reliability.harness import python, run_together

WRITER = """
import time
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository
room = Milestones.open(Repository.at(sys.argv[1]))
room.fingerprint()
gather()
times = []
for number in range(int(sys.argv[4])):
    started = time.monotonic()
    room.comment(sys.argv[2], f"{sys.argv[3]}-{number}")
    times.append(time.monotonic() - started)
    acknowledge(f"{sys.argv[3]}-{number} {times[-1]}")
"""

# The same without the lock and without stating the old value.
CARELESS = WRITER.replace(
    "room.fingerprint()",
    """
from contextlib import nullcontext
from holdfast.milestones.log import clone_log as log
from holdfast.storage.git import refs as git_refs
log.locked = lambda path, **more: nullcontext()
def move(self, ref, new, old): self._git.run("update-ref", ref, new)
git_refs.Refs.move = git_refs.Refs.advance = move
""",
)


def bodies(path: Path, name: str) -> list[str]:
    with opened(path) as room:
        return [comment.body for comment in room.get("issue", name).comments]


def crowd(path: Path, names: list[str], program: str, processes: int, each: int) -> list[float]:
    """Let processes comment on issues, and return how long each acknowledged write took."""
    commands = [
        python(program, path, names[number % len(names)], f"p{number}", each) for number in range(processes)
    ]
    outcomes = run_together(commands, seconds=120)
    if program is WRITER:
        assert [(outcome.status, outcome.complaint) for outcome in outcomes] == [(0, "")] * processes
    lines = [line for outcome in outcomes for line in outcome.output.splitlines()]
    return sorted(float(line.split()[1]) for line in lines)


@pytest.mark.requirement("reliability-B2")
@pytest.mark.evidence("B2", "milestones", "8 processes make 100 changes each")
def test_b2_eight_writers_lose_nothing(repository: Path, tally: Tally):
    with opened(repository) as room:
        names = [issue(room, f"Issue {number}") for number in range(8)]
        room.find(EntityQuery("issue"))
    times = crowd(repository, names, WRITER, 8, 100)
    found = [body for name in names for body in bodies(repository, name)]
    p95 = times[int(len(times) * 0.95)]
    tally(800, 800 - len(set(found)), f"p95 {p95:.3f} s, slowest {times[-1]:.3f} s")
    assert len(found) == len(set(found)) == len(times) == 800
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""
    assert len(git(repository, "for-each-ref", "refs/holdfast/log/").splitlines()) == 1


@pytest.mark.requirement("milestones-48")
@pytest.mark.evidence("B2", "milestones", "50 processes change one issue")
def test_fifty_writers_at_once_make_fifty_operations(repository: Path, tally: Tally):
    with opened(repository) as room:
        name = issue(room, "Crowded")
        room.find(EntityQuery("issue"))
    crowd(repository, [name], WRITER, 50, 1)
    tally(50, 50 - len(set(bodies(repository, name))))
    assert sorted(bodies(repository, name)) == sorted(f"p{number}-0" for number in range(50))
    with opened(repository) as room:
        events = room.history(name)
        assert len(events) == 51
        assert len({event.order for event in events}) == 51, "each in its own place of the order"
    lines = git(repository, "log", "--format=%B", "--glob=refs/holdfast/log/*").splitlines()
    assert len({json.loads(line)["op"] for line in lines if line.startswith("{")}) == 51


@pytest.mark.evidence("B2", "milestones", control="neither lock nor stated old value")
def test_b2_control_writers_without_the_lock_and_the_old_value_lose_operations(
    repository: Path, tally: Tally
):
    with opened(repository) as room:
        name = issue(room, "Careless")
        room.find(EntityQuery("issue"))
    times = crowd(repository, [name], CARELESS, 6, 8)
    found = bodies(repository, name)
    tally(len(times), len(times) - len(found))
    assert len(found) < len(times)
