from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


def copy_of(script: str, folder: Path) -> Path:
    (folder / "scripts").mkdir(exist_ok=True)
    return Path(shutil.copy(ROOT / "scripts" / script, folder / "scripts"))


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


def check_module(script: str, folder: Path, text: str, path: str = "src/holdfast/room.py") -> list[str]:
    module = folder / path
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(text, encoding="utf-8")
    answer = run(sys.executable, copy_of(script, folder))
    assert answer.returncode in (0, 1), answer.stderr
    return [line for line in answer.stdout.splitlines() if line.startswith(path)]


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from pickle import loads",
        "import subprocess",
        "run('ls', shell=True)",
        "eval('1')",
        "os.system('ls')",
        "await asyncio.create_subprocess_exec('ls')",
        "open('x', 'w')",
        "open('x', mode='ab')",
        "path.open('r+')",
        "path.write_text('x')",
        "os.open('x', os.O_WRONLY)",
        "path.unlink()",
        "# TO" + "DO later",
        "HOST = 'files.python" + "hosted.org'",
        "PATH = '/ho" + "me/ada/x'",
    ],
)
def test_hygiene_refuses(tmp_path: Path, line: str):
    assert check_module("hygiene.py", tmp_path, f"async def f():\n    {line}\n    return\n")


def test_hygiene_refuses_what_a_program_left_at_the_root(tmp_path: Path):
    assert check_module("hygiene.py", tmp_path, "{}\n", "fonts.json")
    assert not check_module("hygiene.py", tmp_path, "# Changes\n", "CHANGELOG.md")


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("open('x')", "src/holdfast/room.py"),
        ("path.open('rb')", "src/holdfast/room.py"),
        ("text.replace('a', 'b')", "src/holdfast/room.py"),
        ("re.compile('a')", "src/holdfast/room.py"),
        ("import subprocess", "src/holdfast/storage/git/command.py"),
        ("if TYPE_CHECKING: from subprocess import Popen", "src/holdfast/room.py"),
        ("path.unlink()  # hygiene: a reason", "src/holdfast/room.py"),
        ("open('x', 'w')", "src/holdfast/storage/files/atomic.py"),
        ("import subprocess", "tests/test_room.py"),
        ("x = '/etc/passwd'", "tests/test_room.py"),
    ],
)
def test_hygiene_accepts(tmp_path: Path, line: str, path: str):
    assert check_module("hygiene.py", tmp_path, f"def f():\n    {line}\n", path) == []


def test_hygiene_finds_the_place_of_the_checkout_itself(tmp_path: Path):
    assert check_module("hygiene.py", tmp_path, f"x = '{tmp_path}/y'\n", "tests/test_room.py")


def test_the_size_budget_is_exact(tmp_path: Path):
    def function(lines: int) -> str:
        return "def f():\n" + "    pass\n" * (lines - 1)

    assert check_module("sizes.py", tmp_path, function(50)) == []
    assert check_module("sizes.py", tmp_path, function(51))
    assert check_module("sizes.py", tmp_path, function(10) + "x = 1\n" * 390) == []
    assert check_module("sizes.py", tmp_path, function(10) + "x = 1\n" * 391)


def test_two_classes_of_one_name_are_found(tmp_path: Path):
    check_module("sizes.py", tmp_path, "class Knot: ...\n", "src/holdfast/one.py")
    script = copy_of("sizes.py", tmp_path)
    (tmp_path / "src/holdfast/two.py").write_text("class Knot: ...\n", encoding="utf-8")
    answer = run(sys.executable, script)
    assert (answer.returncode, "'Knot' is a class in one.py and two.py" in answer.stdout) == (1, True)


def test_setup_asks_for_a_recent_python(tmp_path: Path):
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    (tmp_path / "requirements.lock").touch()
    (tmp_path / "pyproject.toml").touch()
    answer = run(copy_of("setup", tmp_path), PYTHON=str(old))
    assert answer.returncode != 0
    assert "Holdfast needs Python 3.11 or newer" in answer.stderr
    assert not (tmp_path / ".venv").exists()


def test_setup_does_nothing_when_nothing_changed(tmp_path: Path):
    (tmp_path / "requirements.lock").write_text("a\n")
    (tmp_path / "pyproject.toml").write_text("b\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    stamp = tmp_path / ".venv" / "setup-stamp"
    stamp.write_text("a\nb\n")
    answer = run(copy_of("setup", tmp_path), PYTHON="/nowhere/python")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


def test_setup_for_serving_installs_its_lock_unless_everything_is_there(tmp_path: Path):
    for name in ("requirements.lock", "serving.lock", "pyproject.toml"):
        (tmp_path / name).write_text(f"{name}==1\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    installed, python = tmp_path / "installed", tmp_path / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\n[ "$1" = -c ] || echo "$@" >>{installed}\n')
    python.chmod(0o755)
    setup = copy_of("setup", tmp_path)
    for words, lock in ((["serving"], "serving.lock"), (["serving"], None), ([], "requirements.lock")):
        installed.write_text("")
        assert run(setup, *words).returncode == 0
        assert lock is None or f"-r {lock}" in installed.read_text()
        assert bool(installed.read_text()) is (lock is not None)
    installed.write_text("")
    assert run(setup, "serving").returncode == 0
    assert installed.read_text() == "", "what has everything has what serving needs"


@pytest.mark.parametrize(
    "script",
    ["setup", "core", "lock", "serve", "test", "check", "fix", "audit", "bench", "bundle", "node_packages"],
)
def test_scripts_are_sound_shell(script: str):
    assert run("bash", "-n", ROOT / "scripts" / script).returncode == 0


def test_the_short_run_and_the_long_run_leave_out_no_test():
    def selection(script: str) -> str:
        [found] = re.findall(
            r"pytest -m \"([^\"]+)\"", (ROOT / "scripts" / script).read_text(encoding="utf-8")
        )
        return str(found)

    assert selection("test") == "not slow"
    assert "slow" in selection("slow").split(" or ")


CARGO = """#!/bin/sh
echo "$@" >>"$CALLS"
[ "$1" != build ] || mkdir -p target/release
[ "$1" != build ] || echo built >target/release/libholdfast_core.so
exit "$STATUS"
"""


def make_core(folder: Path, cargo: bool) -> tuple[Path, Path, dict[str, str]]:
    """Make a checkout with a core; return the script, the module that it builds, and its environment."""
    for name in ("core/src", "core/.cargo", "src/holdfast", "bin"):
        (folder / name).mkdir(parents=True)
    for name in ("core/Cargo.toml", "core/src/lib.rs"):
        (folder / name).touch()
    for program in ("bash", "dirname", "find", "rm", "mkdir", "grep", "tail", "install", "sh"):
        (folder / "bin" / program).symlink_to(shutil.which(program) or program)
    if cargo:
        (folder / "bin" / "cargo").write_text(CARGO, encoding="utf-8")
        (folder / "bin" / "cargo").chmod(0o755)
    variables = {"PATH": str(folder / "bin"), "CALLS": str(folder / "calls"), "STATUS": "0"}
    variables["CARGO_TARGET_DIR"] = "target"
    return copy_of("core", folder), folder / "src" / "holdfast" / "_core.abi3.so", variables


def test_the_core_is_built_once_and_again_when_its_sources_change(tmp_path: Path):
    script, module, variables = make_core(tmp_path, cargo=True)
    assert (run(script, **variables).returncode, module.read_text()) == (0, "built\n")
    module.write_text("kept\n")
    assert (run(script, **variables).stdout, module.read_text()) == ("", "kept\n")
    newer = module.stat().st_mtime + 10
    os.utime(tmp_path / "core" / "src" / "lib.rs", (newer, newer))
    assert (run(script, **variables).returncode, module.read_text()) == (0, "built\n")
    assert (tmp_path / "calls").read_text().count("build") == 2


def test_a_core_that_cannot_be_built_is_said_so_and_an_older_one_is_not_left(tmp_path: Path):
    script, module, variables = make_core(tmp_path, cargo=True)
    module.write_text("of other sources\n")
    os.utime(module, (0, 0))
    answer = run(script, **variables | {"STATUS": "101"})
    assert (answer.returncode, module.exists()) == (0, False)
    assert "The compiled core is not built: cargo failed" in answer.stderr


def test_without_cargo_the_core_is_not_built_and_one_line_says_so(tmp_path: Path):
    script, module, variables = make_core(tmp_path, cargo=False)
    answer = run(script, **variables)
    assert (answer.returncode, module.exists(), len(answer.stdout.splitlines())) == (0, False, 1)
    assert "cargo is not installed" in answer.stdout
