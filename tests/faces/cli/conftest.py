from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.faces.cli.application import run
from tests.faces.cli.programs import Program
from tests.faces.cli.sample import host

Answer = tuple[int, str, str]
Ask = Callable[..., Answer]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Ask:
    """Run the sample's command line in this process; return status, output and errors."""
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    sample_host = host()

    def answer(*arguments: str) -> Answer:
        status = run(list(arguments), sample_host)
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return answer
