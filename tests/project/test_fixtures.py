from __future__ import annotations

import subprocess
from pathlib import Path

from holdfast import __version__
from tests.conftest import RunHoldfast


def test_the_real_command_runs(run_holdfast: RunHoldfast):
    answer = run_holdfast("--version", check=True)
    assert answer.stdout.startswith(f"holdfast {__version__} (")


def test_a_repository_reads_nothing_of_the_machine(repository: Path, home: Path):
    listed = subprocess.run(
        ["git", "config", "--list", "--show-scope"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    assert {line.split()[0] for line in listed.stdout.splitlines()} == {"local"}
    assert "user.name=Ada" in listed.stdout
    assert list(home.iterdir()) == []
