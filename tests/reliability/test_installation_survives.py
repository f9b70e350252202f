"""Configuration files of others under kill -9 and failing disks: as before or as wanted, and recoverable."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.installation.client import Contributions
from holdfast.installation.clients import CLIENTS
from holdfast.installation.plan import apply_changes, plan_installation, plan_removal
from tests.installation.places import EARLIER, context
from tests.reliability.evidence import Tally
from tests.reliability.harness import Outcome, fail_at_every_syscall, kill_at_every_syscall, python

PROGRAM = """
from holdfast.installation.client import Contributions
from holdfast.installation.clients import CLIENTS
from holdfast.installation.plan import apply_changes, plan_installation, plan_removal
from holdfast.kernel.errors import HoldfastError
from holdfast.installation.client import InstallationContext, Part, Scope
parts = frozenset({Part.SERVER, Part.HOOKS, Part.COMMANDS})
place = InstallationContext(sys.argv[1], "/home/ada", "linux", {}, Scope.PROJECT, None, True, parts=parts)
plan = plan_removal if sys.argv[2] == "out" else plan_installation
try:
    changes = plan(CLIENTS["claude-code"], place, Contributions())
    begin()
    apply_changes(changes)
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""
IN_PLACE = PROGRAM.replace(
    "apply_changes(changes)",
    "[open(c.file.path, 'wb').write(c.after) for c in changes if c.before is not None]",
)
CLIENT = CLIENTS["claude-code"]
OLD = {".mcp.json": b'{"mcpServers": {"other": {}}}', ".claude/settings.json": b'{\n  "a": 1\n}\n'}


def installed(root: Path) -> None:
    apply_changes(plan_installation(CLIENT, context(root, parts=EARLIER), Contributions()))


def content(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and "holdfast-" not in path.name)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def prepared(root: Path, direction: str) -> Callable[[], None]:
    def prepare() -> None:
        shutil.rmtree(root, ignore_errors=True)
        (root / ".claude").mkdir(parents=True)
        for name, data in OLD.items():
            (root / name).write_bytes(data)
        if direction == "out":
            installed(root)

    return prepare


def recoverable(root: Path, direction: str, *, all_or_nothing: bool = False) -> Callable[[Outcome], None]:
    prepared(root, "out")()
    new = content(root)
    wanted, other = (OLD, new) if direction == "out" else (new, OLD)

    def check(outcome: Outcome) -> None:
        found = content(root)
        for name in new:
            assert found.get(name) in (OLD.get(name), new[name]), f"{name} is neither old nor new"
        assert found == wanted or not outcome.acknowledged, "acknowledged, but not done"
        if all_or_nothing and not outcome.acknowledged:
            assert found == other, "failed, but some of it was done"
        installed(root)
        assert content(root) == new
        apply_changes(plan_removal(CLIENT, context(root, parts=EARLIER), Contributions()))
        assert content(root) == OLD

    return check


@pytest.mark.strace
@pytest.mark.requirement("install-5", "install-6")
@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.evidence("A2", "installer", "killed at every system call, configuring {direction}", every=True)
def test_a_kill_at_every_system_call_can_be_recovered_from(tmp_path: Path, direction: str, tally: Tally):
    root = tmp_path / "repository"
    check = recoverable(root, direction)
    report = kill_at_every_syscall(python(PROGRAM, root, direction), prepared(root, direction), check)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []
    assert len(report.points) >= 20


@pytest.mark.strace
@pytest.mark.evidence("A2", "installer", control="writes in place")
def test_control_writing_in_place_is_caught(tmp_path: Path, tally: Tally):
    root = tmp_path / "repository"
    check = recoverable(root, "in")
    report = kill_at_every_syscall(python(IN_PLACE, root, "in"), prepared(root, "in"), check, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


@pytest.mark.strace
@pytest.mark.requirement("install-6")
@pytest.mark.evidence("A4", "installer", "every write, flush and rename fails", every=True)
def test_a_disk_that_fails_at_any_system_call_leaves_all_or_nothing(tmp_path: Path, tally: Tally):
    root = tmp_path / "repository"
    check = recoverable(root, "in", all_or_nothing=True)
    errors = {"write": "ENOSPC", "fsync": "EIO", "rename": "EIO", "renameat": "EIO", "renameat2": "EIO"}
    report = fail_at_every_syscall(python(PROGRAM, root, "in"), prepared(root, "in"), check, errors=errors)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 15


@pytest.mark.strace
@pytest.mark.evidence("A4", "installer", control="writes in place")
def test_control_writing_in_place_on_a_failing_disk_is_caught(tmp_path: Path, tally: Tally):
    root = tmp_path / "repository"
    check, errors = recoverable(root, "in", all_or_nothing=True), {"write": "ENOSPC"}
    program = python(IN_PLACE, root, "in")
    report = fail_at_every_syscall(program, prepared(root, "in"), check, errors=errors, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures
