"""The wheel installed as a stranger would: a new virtual environment, an empty home, then no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast import __version__
from tests.conftest import ROOT
from tests.packaging.conftest import EXTRAS, NEWER, OLDEST, PROGRAMS, clean_environment, find_python, run

JOURNEY = Path(__file__).with_name("journey.py")
NEWEST = next((version for version in NEWER if find_python(version)), NEWER[0])
VERSIONS = [OLDEST, *(pytest.param(version, marks=pytest.mark.slow) for version in sorted({NEWEST, "3.12"}))]


def without_network() -> list[str] | None:
    """Return what runs a command in a network name space of its own, where that is permitted."""
    if shutil.which("unshare") is None:
        return None
    # Without a user name space where possible: git asks who owns a repository.
    for options in (["--net"], ["--net", "--map-root-user"]):
        if subprocess.run(["unshare", *options, "true"], capture_output=True).returncode == 0:
            return ["unshare", *options]
    return None


@pytest.fixture
def surroundings(tmp_path: Path):
    """Return the environment of a stranger whose home and temporary folder are empty, with a repository."""

    def prepared(venv: Path) -> tuple[dict[str, str], Path]:
        for name in ("home", "tmp"):
            (tmp_path / name).mkdir()
        variables = clean_environment(
            HOME=str(tmp_path / "home"),
            TMPDIR=str(tmp_path / "tmp"),
            PATH=os.pathsep.join([str(venv / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]),
        )
        repository = tmp_path / "repository"
        run("git", "init", "--quiet", repository, env=variables)
        for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
            run("git", "-C", repository, "config", name, value, env=variables)
        return variables, repository

    return prepared


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fresh_install_works_offline_and_writes_only_its_key_elsewhere(
    environment, surroundings, tmp_path: Path, version: str
) -> None:
    venv = environment(version)
    variables, repository = surroundings(venv)
    before = files(venv)
    confined = without_network()
    journey = [venv / "bin" / "python", JOURNEY, repository, *([] if confined else ["--network"])]
    seen = json.loads(run(*(confined or []), *journey, env=variables).stdout)

    assert seen["version"] == f"holdfast {__version__} (Python reader)\n"
    assert seen["mile"] == "Nothing found.\n"
    assert (repository / "kelp" / "pyproject.toml").is_file()
    assert seen["analysis"]["summary"]["total_functions"] > 0
    assert (seen["stdio"]["server"], seen["stdio"]["end"]) == ("holdfast", 0)
    assert "add_comment" in seen["stdio"]["tools"]
    assert not seen["stdio"]["added"].get("isError"), seen["stdio"]["added"]
    assert "Says what it is" in (repository / "kelp" / "README.md.comments").read_text(encoding="utf-8")
    assert seen["http"] == "holdfast"
    assert files(tmp_path / "home") == {str(tmp_path / "home/.local/state/holdfast/key")}
    assert files(tmp_path / "tmp") == set()
    assert files(venv) == before
    assert {path.name for path in tmp_path.iterdir()} == {"home", "tmp", "repository"}
    if confined is None:
        pytest.skip("all but this was shown: this process may not make a network name space")
    assert seen["outside"] == "ENETUNREACH"


WITH_EXTRAS = [
    ("parquet", ["comments", "export", "--format", "parquet", "--output", "notes.parquet"]),
    ("charts", ["tasks", "chart", "--format", "png", "--json"]),
    ("postgres", ["tasks", "list", "--database", "postgresql://127.0.0.1:1/none"]),
]


@pytest.fixture
def with_tasks(surroundings):
    def prepared(venv: Path) -> tuple[dict[str, str], Path]:
        variables, repository = surroundings(venv)
        (repository / "a.py").write_text("x = 1\n", encoding="utf-8")
        for arguments in (
            ["comments", "add", "a.py", "1", "One"],
            ["tasks", "init"],
            ["tasks", "add", "Reef"],
        ):
            run(venv / "bin" / "holdfast", *arguments, env=variables, cwd=repository)
        return variables, repository

    return prepared


def test_without_extras_each_command_says_which_to_install(environment, with_tasks) -> None:
    venv = environment(OLDEST)
    variables, repository = with_tasks(venv)
    for extra, arguments in WITH_EXTRAS:
        done = run(venv / "bin" / "holdfast", *arguments, env=variables, cwd=repository, check=False)
        assert done.returncode == 10, arguments
        assert f"pip install 'holdfast[{extra}]'" in done.stderr


def test_with_extras_they_work(environment, with_tasks) -> None:
    venv = environment(OLDEST, EXTRAS)
    variables, repository = with_tasks(venv)
    for extra, arguments in WITH_EXTRAS:
        done = run(venv / "bin" / "holdfast", *arguments, env=variables, cwd=repository, check=False)
        assert "holdfast[" not in done.stderr
        assert (done.returncode == 0) == (extra != "postgres"), done.stderr
    assert (repository / "notes.parquet").read_bytes()[:4] == b"PAR1"
    assert "refused" in done.stderr or "reach" in done.stderr, done.stderr
    run(venv / "bin" / "python", "-c", "import opentelemetry.sdk.trace")


def test_pipx_installs_the_programs_and_their_pages(wheel: Path, tmp_path: Path) -> None:
    places = {name: str(tmp_path / name) for name in ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR", "HOME")}
    variables = clean_environment(**places, PATH=f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    run(PROGRAMS / "pipx", "install", wheel, env=variables)
    assert (
        run(tmp_path / "PIPX_BIN_DIR" / "holdfast", "--version").stdout
        == f"holdfast {__version__} (Python reader)\n"
    )
    assert (
        run(tmp_path / "PIPX_BIN_DIR" / "git-mile", "--version").stdout
        == f"holdfast {__version__} (Python reader)\n"
    )
    pages = sorted(path.name for path in (tmp_path / "PIPX_MAN_DIR" / "man1").iterdir())
    assert pages == ["git-mile.1", "holdfast.1"]


def test_uvx_runs_it_without_an_install(wheel: Path, tmp_path: Path) -> None:
    variables = clean_environment(HOME=str(tmp_path), UV_TOOL_DIR=str(tmp_path / "tools"))
    python = find_python(OLDEST)
    done = run(PROGRAMS / "uvx", "--python", python, "--from", wheel, "holdfast", "--version", env=variables)
    assert done.stdout == f"holdfast {__version__} (Python reader)\n"


def test_oldest_python_is_always_here() -> None:
    assert find_python(OLDEST) is not None
    assert f'requires-python = ">={OLDEST}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_git_finds_the_page_of_git_mile(environment, surroundings) -> None:
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    variables, repository = surroundings(environment(OLDEST))
    page = run(
        "git", "help", "mile", env=variables | {"MANPAGER": "cat", "PAGER": "cat"}, cwd=repository
    ).stdout
    assert "git mile list" in page
