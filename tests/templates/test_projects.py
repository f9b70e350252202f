"""Generated projects do what projects are for: they build, and their own tests pass.

Python, make, npm and cargo are used as they are on the machine, without a network. Go and Deno projects are
built where those programs are installed; elsewhere the tests say that they were skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.templates.catalogue import Templates
from holdfast.templates.scaffold import ScaffoldRequest, scaffold

VARIANTS = pytest.mark.parametrize("variant", ["cli", pytest.param("library", marks=pytest.mark.slow)])
NAME = "my-Kelp_2"


def project(folder: Path, toolchain: str, variant: str, **more: object) -> Path:
    description = {"description": 'Holds "fast", 100% \\o/'} if toolchain != "deno" else {}
    parameters = {"project_name": NAME, **description, **more}
    made = scaffold(
        Templates(Repository(str(folder))), ScaffoldRequest(toolchain, variant, ["all"], parameters)
    )
    assert made.errors == []
    for item in made.files:
        path = folder / "project" / item.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(item.content, encoding="utf-8")
    return folder / "project"


def run(folder: Path, *command: str, **variables: str) -> str:
    environment = {**os.environ, "NO_COLOR": "1", **variables}
    finished = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout + finished.stderr


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed; the project it builds was not built")


def python_environment(folder: Path) -> Path:
    """Make an empty environment that can use the tools of this one."""
    venv.create(folder, with_pip=False)
    tools = sysconfig.get_path("purelib")
    site = next((folder / "lib").glob("python*/site-packages"))
    (site / "tools.pth").write_text(f"{tools}\n")
    return folder / "bin" / "python"


@VARIANTS
def test_a_python_project_installs_and_passes_its_own_checks(tmp_path: Path, variant: str):
    version = "{}.{}".format(*sys.version_info)
    folder = project(tmp_path, "python-uv", variant, python_version=version)
    python = python_environment(tmp_path / "environment")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    run(folder, *pip, "--no-build-isolation", "--disable-pip-version-check", ".")
    tools = f"{python} -m"
    assert "passed" in run(folder, "make", "test", f"RUN={tools}")
    assert "Success: no issues found" in run(folder, "make", "type-check", f"RUN={tools}")
    run(folder, str(python), "-m", "ruff", "format", "--check")
    run(folder, str(python), "-m", "ruff", "check")
    if variant == "cli":
        assert run(tmp_path, str(python.with_name(NAME)), "Ada") == "Hello, Ada!\n"
        assert run(tmp_path, str(python), "-m", "my_kelp_2.main") == "Hello, world!\n"
    else:
        shown = run(tmp_path, str(python), "-c", "import my_kelp_2; print(my_kelp_2.greeting('Ada'))")
        assert shown == "Hello, Ada!\n"


@VARIANTS
def test_a_node_project_passes_npm_test(tmp_path: Path, variant: str):
    need("npm")
    folder = project(tmp_path, "node", variant)
    assert "# fail 0" in run(folder, "npm", "test").replace("ℹ", "#")
    run(folder, "make", "all")
    if variant == "cli":
        assert run(folder, "node", "src/main.js", "Ada") == "Hello, Ada!\n"


@VARIANTS
def test_a_rust_project_builds_and_passes_its_tests(tmp_path: Path, variant: str):
    need("cargo")
    folder = project(tmp_path, "rust", variant)
    offline = {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(tmp_path / "target")}
    assert "test result: ok" in run(folder, "make", "test", "build", **offline)
    if shutil.which("cargo-fmt"):
        run(folder, "cargo", "fmt", "--check", **offline)
    if shutil.which("cargo-clippy"):
        run(folder, "make", "lint", **offline)


@VARIANTS
def test_a_go_project_builds_and_passes_its_tests(tmp_path: Path, variant: str):
    need("go")
    folder = project(tmp_path, "go", variant, module_path="example.org/team/kelp")
    local = {"GOTOOLCHAIN": "local", "GOCACHE": str(tmp_path / "cache"), "GOFLAGS": "-mod=mod"}
    assert "ok" in run(folder, "make", "vet", "test", "build", **local)


@VARIANTS
def test_a_deno_project_passes_its_tests(tmp_path: Path, variant: str):
    need("deno")
    folder = project(tmp_path, "deno", variant)
    alone = {"DENO_DIR": str(tmp_path / "deno")}
    run(folder, "deno", "fmt", "--check", **alone)
    assert "1 passed" in run(folder, "make", "all", **alone)
