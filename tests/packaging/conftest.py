"""What the tests of packages share: the built packages and virtual environments, each made once in a run.

Workers of one run agree through a lock beside each folder. What is downloaded is kept in `.cache/uv`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

PROGRAMS = Path(sys.executable).parent
PYTHONS = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
EXTRAS = ("charts", "parquet", "postgres", "telemetry")
OLDEST = "3.11"
NEWER = ("3.14", "3.13", "3.12")


def clean_environment(**variables: str) -> dict[str, str]:
    """Return an environment in which nothing of this process's Python or git configuration shows.

    Packages are built without the compiled core, which takes minutes, unless a variable says otherwise.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV", "GIT_", "XDG_", "HOLDFAST_", "PYTEST_", "COV_"))
    }
    uv = {"UV_CACHE_DIR": str(ROOT / ".cache" / "uv"), "UV_HTTP_TIMEOUT": "120"}
    ours = {"GIT_CONFIG_NOSYSTEM": "1", "HOLDFAST_WITHOUT_CORE": "1"}
    return inherited | uv | ours | variables


def run(*command: str | Path, check: bool = True, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command and return what it said; one that must not fail shows what it said when it does."""
    more = {"env": clean_environment(), "timeout": 240, **more}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", **more)
    if check and done.returncode != 0:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done


def find_python(version: str) -> Path | None:
    """Return an interpreter of this version that really runs, or nothing."""
    named = shutil.which(f"python{version}")
    found = [Path(named)] if named else []
    for candidate in [*found, *sorted(PYTHONS.glob(f"{version}.*/bin/python"))]:
        # A shim on the path may stand for a version that is not chosen.
        if subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
            return candidate
    return None


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Return what makes a folder of a name unless a worker of this run made it already."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder, finished = base / "packaging" / name, base / "packaging" / f"{name}.finished"
        folder.parent.mkdir(exist_ok=True)
        with (folder.parent / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not finished.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                finished.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def packages(once) -> Path:
    """The folder with the wheel and the sdist of this tree."""

    def build(folder: Path) -> None:
        run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)

    return once("packages", build)


@pytest.fixture(scope="session")
def wheel(packages: Path) -> Path:
    [path] = packages.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(packages: Path) -> Path:
    [path] = packages.glob("*.tar.gz")
    return path


def install(venv: Path, version: str, what: str | Path) -> None:
    """Make a virtual environment with a package in it, all versions as they are locked."""
    python = find_python(version)
    if python is None:
        pytest.skip(f"Python {version} is not on this machine")
    run(PROGRAMS / "uv", "venv", "--quiet", "--seed", "--python", python, venv)
    locked = ("--constraint", ROOT / "requirements.lock")
    run(PROGRAMS / "uv", "pip", "install", "--quiet", "--python", venv / "bin" / "python", *locked, what)


@pytest.fixture(scope="session")
def environment(once, wheel: Path):
    """Return what gives a virtual environment with the wheel, and with extras where they are named."""

    def installed(version: str, extras: tuple[str, ...] = ()) -> Path:
        what = f"{wheel}[{','.join(extras)}]" if extras else wheel
        name = "-".join([version, *extras])
        return once(name, lambda folder: install(folder / "venv", version, what)) / "venv"

    return installed
