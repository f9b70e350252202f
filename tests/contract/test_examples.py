"""Every example in the help and the documentation works when it is typed."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.operation import Operation
from holdfast.toolsets import full_registry
from tests import forked
from tests.contract.prepared import HOLDFAST, IDS, environment, prepare

COMMENT = {
    "id": "c_1730000000000",
    "line": 7,
    "text": "Limit the rate",
    "author": "Ada",
    "created": "2025-10-19T09:57:09.438Z",
    "updated": "2025-10-19T09:57:09.438Z",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that has what the examples speak of, and nothing damaged."""
    folder = tmp_path_factory.mktemp("examples")
    path = prepare(folder / "repository", folder / "home")
    (path / "src/damaged.py.comments").unlink()
    for name in ("app", "login"):
        (path / f"src/{name}.ts").write_text(
            "".join(f"const value{line} = {line};\n" for line in range(1, 60))
        )
    sidecar = {"file": "src/app.ts", "version": "1.0", "comments": [COMMENT]}
    (path / "src/app.ts.comments").write_text(json.dumps(sidecar))
    with (path / "src/main.py").open("a") as file:
        file.writelines(f"line {number}\n" for number in range(5, 60))
    (path / "docs").mkdir()
    (path / "docs/sketch.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    typed(path, ["tasks", "attach", "TP-1", "docs/sketch.png"], folder / "home").check_returncode()
    return path


@pytest.fixture
def place(prepared: Path, tmp_path: Path) -> Path:
    """The same for each example, beside the same remote, so that none depends on another."""
    return shutil.copytree(prepared, prepared.with_name(tmp_path.name), symlinks=True)


def typed(place: Path, words: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    return forked.run(
        [HOLDFAST, *words], cwd=place, env=environment(home), capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("operation", full_registry().operations, ids=lambda operation: operation.name)
def test_an_example_runs(operation: Operation, place: Path, prepared: Path) -> None:
    numbers = {"withdraw_message": 1, "apply_suggestion": 3}  # the first was delivered and suggests nothing
    message = IDS[numbers.get(operation.name, 0)]
    words = shlex.split(operation.example.replace("m_0123456789abcdef", message))
    finished = typed(place, words[1:], prepared.parent / "home")
    assert (finished.returncode, finished.stderr) == (0, "")
