"""Files under kill -9, failing disks and crowds: old content or new, and no acknowledged write lost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.storage.files.locks import locked
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX, sweep_orphans
from tests.reliability.evidence import Tally
from tests.reliability.harness import (
    Outcome,
    fail_at_every_syscall,
    kill_at_every_syscall,
    python,
    run_kill_trials,
    run_together,
)
from tests.reliability.samples import samples

ADD_FOREVER = """
import json
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
from holdfast.storage.files.regular_file import read_limited
path, name = sys.argv[1:]
number = 0
while True:
    number += 1
    with locked(path):
        items = json.loads(read_limited(path, 1 << 24))
        atomic_write(path, json.dumps([*items, f"{name}-{number}"]).encode())
    acknowledge(f"{name}-{number}")
"""

IN_PLACE = "open(path, 'w').write(json.dumps([*items, f'{name}-{number}']))"
ADD_FOREVER_IN_PLACE = ADD_FOREVER.replace(
    'atomic_write(path, json.dumps([*items, f"{name}-{number}"]).encode())', IN_PLACE
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    path = tmp_path / "store" / "data.json"
    path.write_text("[]")
    return path


def items_of(path: Path) -> Callable[[], list[str]]:
    return lambda: json.loads(path.read_text())


@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "files", "killed with signal 9 at random moments")
@pytest.mark.evidence("A5", "files", "temporary files of killed writers are swept")
@pytest.mark.evidence("A5", "files", control="nobody sweeps")
def test_a1_no_acknowledged_item_is_lost_to_kills_and_a5_orphans_are_swept(path, tally: Tally):
    report = run_kill_trials(
        lambda name: python(ADD_FOREVER, path, name), items_of(path), kills=samples("kills")
    )
    orphans = [entry.name for entry in path.parent.iterdir() if entry.name.endswith(TEMPORARY_SUFFIX)]
    assert sweep_orphans(path.parent, older_than=3600) == []
    started = time.monotonic()
    swept = sweep_orphans(path.parent, older_than=0)
    sweeping = time.monotonic() - started
    tally(report.kills, report.failures, report.summary(), of="A1")
    tally(len(orphans), set(orphans) ^ set(swept), f"in {sweeping * 1000:.1f} ms", of="A5")
    tally(report.kills, orphans, of="nobody sweeps")
    assert report.failures == []
    assert report.kills == samples("kills")
    assert len(report.acknowledged) > report.kills
    assert sorted(swept) == sorted(orphans)
    assert sweeping < 1
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["data.json", "data.json.lock"]


@pytest.mark.evidence("A1", "files", control="writes in place")
def test_a1_control_writing_in_place_is_caught(path, tally: Tally):
    def read() -> list[str]:
        try:
            return json.loads(path.read_text())
        except ValueError:
            path.write_text("[]")  # so that the next round can go on
            raise

    report = run_kill_trials(lambda name: python(ADD_FOREVER_IN_PLACE, path, name), read, kills=60, at_once=3)
    tally(report.kills, report.failures, report.summary())
    assert report.failures


OLD, NEW = b"old " * 20_000, b"new " * 20_000

WRITE_ONCE = """
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
path = sys.argv[1]
try:
    begin()
    with locked(path):
        atomic_write(path, b"new " * 20_000)
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""

WRITE_ONCE_IN_PLACE = """
path = sys.argv[1]
begin()
with open(path, "wb") as file:
    file.write(b"new " * 20_000)
end()
acknowledge()
"""


def restore(path: Path) -> Callable[[], None]:
    def prepare() -> None:
        sweep_orphans(path.parent, older_than=0)
        path.write_bytes(OLD)

    return prepare


def whole(path: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        content = path.read_bytes()
        assert content in (OLD, NEW), f"neither old nor new: {len(content)} bytes"
        assert content == NEW or not outcome.acknowledged, "acknowledged, but the old content is there"
        with locked(path, wait=0):
            pass

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "files", "killed at every system call of a write", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_old_content_or_the_new(path, tally: Tally):
    report = kill_at_every_syscall(python(WRITE_ONCE, path), restore(path), whole(path))
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []
    assert len(report.points) >= 8


@pytest.mark.strace
@pytest.mark.evidence("A2", "files", control="writes in place")
def test_a2_control_writing_in_place_is_caught(path, tally: Tally):
    report = kill_at_every_syscall(python(WRITE_ONCE_IN_PLACE, path), restore(path), whole(path), enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


ERRORS = {
    "EIO": {
        "write": "EIO",
        "fsync": "EIO",
        "rename": "EIO",
        "renameat": "EIO",
        "fchmod": "EIO",
        "openat": "EIO",
    },
    "ENOSPC": {
        "write": "ENOSPC",
        "fsync": "ENOSPC",
        "openat": "ENOSPC",
        "rename": "ENOSPC",
        "renameat": "ENOSPC",
    },
}


@pytest.mark.strace
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.requirement("reliability-A4")
@pytest.mark.evidence("A4", "files", "{error} at every call of a write", every=True)
def test_a4_a_failing_call_is_reported_not_acknowledged_and_leaves_the_store_working(
    path, error, tally: Tally
):
    def check(outcome: Outcome) -> None:
        whole(path)(outcome)
        assert outcome.acknowledged or "data.json" in outcome.complaint, (
            f"no reason given: {outcome.complaint}"
        )
        assert "Traceback" not in outcome.complaint
        assert str(path.parent) not in outcome.complaint
        assert not [entry for entry in path.parent.iterdir() if entry.name.endswith(TEMPORARY_SUFFIX)]

    report = fail_at_every_syscall(python(WRITE_ONCE, path), restore(path), check, errors=ERRORS[error])
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 5


@pytest.mark.strace
@pytest.mark.evidence("A4", "files", control="writes in place")
def test_a4_control_writing_in_place_is_caught(path, tally: Tally):
    errors = {"write": "ENOSPC"}
    report = fail_at_every_syscall(
        python(WRITE_ONCE_IN_PLACE, path), restore(path), whole(path), errors=errors, enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


ADD_MANY = """
import json
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
from holdfast.storage.files.regular_file import read_limited
path, name, count = sys.argv[1:]
gather()
for number in range(int(count)):
    with locked(path):
        items = json.loads(read_limited(path, 1 << 24))
        atomic_write(path, json.dumps([*items, f"{name}-{number}"]).encode())
"""


@pytest.mark.requirement("reliability-B1")
@pytest.mark.evidence("B1", "files", "8 processes add 200 items each")
def test_b1_eight_processes_add_1600_items_and_all_are_there(path, tally: Tally):
    started = time.monotonic()
    outcomes = run_together([python(ADD_MANY, path, name, 200) for name in range(8)])
    seconds = time.monotonic() - started
    assert [outcome.complaint for outcome in outcomes] == [""] * 8
    items = json.loads(path.read_text())
    tally(1600, 1600 - len(set(items)), f"{seconds:.1f} s")
    assert len(items) == len(set(items)) == 1600


@pytest.mark.evidence("B1", "files", control="takes no lock")
def test_b1_control_without_the_lock_updates_are_lost(path, tally: Tally):
    unlocked = ADD_MANY.replace("with locked(path):", "if True:")
    outcomes = run_together([python(unlocked, path, name, 50) for name in range(8)])
    assert [outcome.complaint for outcome in outcomes] == [""] * 8
    kept = len(json.loads(path.read_text()))
    tally(400, 400 - kept)
    assert kept < 400
