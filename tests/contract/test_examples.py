"""Every example in the help and the documentation works when it is typed."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.operation import Operation
from holdfast.workspace import full_registry
from tests.contract.prepared import HOLDFAST, IDS, environment, prepare


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    return prepare(folder / "repository", folder / "home")


@pytest.mark.parametrize("operation", full_registry().operations, ids=lambda operation: operation.name)
def test_an_example_runs(operation: Operation, place: Path) -> None:
    words = shlex.split(operation.example.replace("m_0123456789abcdef", IDS[0]))
    finished = subprocess.run(
        [HOLDFAST, *words[1:]],
        cwd=place,
        env=environment(place.parent / "home"),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
