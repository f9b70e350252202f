"""Analyses of trees that are made to hurt: nothing crashes, nothing waits, and what is left out is said."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.analysis.engine.product import RECORDS
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.engine.scanner import Scanner
from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import DeadlineExceeded
from holdfast.storage.git.repository import Repository
from tests.analysis.engine.test_scanner import reasons, scan, write
from tests.reliability.samples import samples
from tests.wire.client import wire_client

FILES = samples("hostile files")
BODY = "".join(
    f"def f{number}(a, b):\n    if a and b:\n        return {number}\n\n\n" for number in range(400)
)
HOLDFAST = str(Path(sys.executable).with_name("holdfast"))


@pytest.mark.evidence("E8", "analysis", "pipes, devices, links, very large and very many files")
def test_very_many_empty_files_are_one_record(repository: Path) -> None:
    for number in range(FILES):
        (repository / f"f{number}.py").touch()

    found = scan(repository)

    assert len(found.files) == FILES
    assert len(set(map(id, scan(repository).files.values()))) == 1


def hostile(root: Path) -> dict[str, str]:
    """Plant what hurts and return the reasons expected."""
    write(root, {"good.py": "x = 1\n", "nul.py": b"a = '\0'\n", "deep.py": "(" * 50_000 + ")" * 50_000})
    write(root, {"wide.py": b"x = [" + b"1, " * 200_000 + b"]\n", "latin.py": b"# caf\xe9\n"})
    write(root, {"nested.js": "[" * 100_000, "dots.rs": "a." * 200_000, "line.go": "\r" * 1_000_000})
    with (root / "huge.py").open("wb") as file:
        file.truncate(1024**3)
    os.mkfifo(root / "pipe.py")
    (root / "loop").symlink_to(".")
    (root / "self.py").symlink_to("self.py")
    (root / "a").mkdir()
    (root / "a" / "up").symlink_to("..")
    (root / "zero.py").symlink_to("/dev/zero")
    return {
        "huge.py": "too large", "latin.py": "undecodable", "nul.py": "binary",
        "self.py": "not a regular file", "zero.py": "not a regular file",
    } | ({} if (root / ".git").exists() else {"pipe.py": "not a regular file"})  # fmt: skip


@pytest.mark.parametrize("in_git", [True, False])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.evidence("E8", "analysis", "pipes, devices, links, very large and very many files")
def test_what_hurts_is_skipped_with_the_reason_and_the_rest_is_read(
    repository: Path, tmp_path: Path, in_git: bool, workers: int, reader: str
) -> None:
    root = repository if in_git else tmp_path / "plain"
    root.mkdir(exist_ok=True)
    expected = hostile(root)

    scanner = Scanner(Repository.at(root), RECORDS, bytes_per_process=1)
    found = scanner.scan(Project(), "normal", workers)
    scanner.close()

    assert expected.items() <= reasons(found).items()
    assert "good.py" in found.files
    assert set(found.files) | set(reasons(found)) == {
        *expected, "good.py", "deep.py", "wide.py", "nested.js", "dots.rs", "line.go",
    }  # fmt: skip


def late(root: Path, workers: int) -> Scan:
    """Scan with a clock on which every look at it takes a second, for a caller who waits thirty."""
    ticks = iter(range(10**9))
    scanner = Scanner(Repository.at(root), RECORDS, bytes_per_process=1)
    try:
        with running(Call(seconds=30, clock=lambda: next(ticks))):
            return scanner.scan(Project(), "normal", workers)
    finally:
        scanner.close()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.evidence("E8", "analysis", "pipes, devices, links, very large and very many files")
def test_the_deadline_of_the_caller_is_kept(repository: Path, workers: int, reader: str) -> None:
    write(repository, {f"m{number}.py": f"x = {number}\n" for number in range(100)})

    with pytest.raises(DeadlineExceeded):
        late(repository, workers)


def test_pings_are_answered_meanwhile_and_a_cancelled_survey_leaves_no_reader(repository: Path) -> None:
    write(repository, {f"m{number}.py": f"{BODY}# {number}\n" for number in range(120)})
    with wire_client([HOLDFAST, "serve"], cwd=repository) as client:
        client.initialize()
        client.request(
            "scan",
            "tools/call",
            {
                "name": "analyze_dependency_graph",
                "arguments": {"project_path": "."},
                "_meta": {"progressToken": "p"},
            },
        )
        while client.receive(60).get("method") != "notifications/progress":
            pass
        client.request("ping", "ping")
        heard = []
        while not heard or heard[-1].get("id") != "ping":
            heard.append(client.receive(60))
        client.notify("notifications/cancelled", {"requestId": "scan"})
        for _ in range(1200):
            if not readers(client.process.pid):
                break
            time.sleep(0.05)

        assert all(message.get("id") != "scan" for message in heard)
        assert not readers(client.process.pid)
        assert len(started_by(client.process.pid)) <= 1  # the worker keeps its caches for the next analysis
        assert client.ask("again", "ping")["result"] == {}


def readers(server: int) -> list[str]:
    """Return the processes that the workers of a server have started and that still run."""
    return [reader for worker in started_by(server) for reader in started_by(int(worker))]


def started_by(process: int) -> list[str]:
    """Return the processes that one has started and that still run."""
    found: list[str] = []
    with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
        for task in Path(f"/proc/{process}/task").iterdir():
            found += (task / "children").read_text(encoding="ascii").split()
    return found


@pytest.mark.evidence("E8", "analysis", control="opens whatever is there")
def test_control_opening_a_pipe_waits_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["cat", tmp_path / "pipe.py"], timeout=2, check=False)
