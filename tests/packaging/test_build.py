"""The wheel and the sdist: what is in them, and that the same tree gives the same bytes."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

from holdfast import __version__
from tests.conftest import ROOT
from tests.packaging.conftest import clean_environment, run

TRUE = [__version__, ">=3.11", "MIT"]
NOT_SHIPPED = ("__pycache__", ".pyc", "node_modules", ".cache", ".venv", "tests/", "results/", ".hypothesis")


def tracked(folder: str) -> set[str]:
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", folder, cwd=ROOT).stdout
    return {line for line in listed.splitlines() if (ROOT / line).exists()}


def names_of_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def names_of_sdist(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def unpacked(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"holdfast-{__version__}"


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    names = names_of_wheel(wheel)
    package = {name.removeprefix("src/") for name in tracked("src/holdfast")}
    shared = {
        name.replace("packaging/share", f"holdfast-{__version__}.data/data/share")
        for name in tracked("packaging/share")
    }
    about = {name for name in names if name.startswith(f"holdfast-{__version__}.dist-info/")}
    assert names == package | shared | about
    assert "holdfast/py.typed" in names
    assert any(name.startswith("holdfast/faces/web/static/") for name in names)


def test_the_sdist_holds_what_a_build_needs_and_no_leavings(sdist: Path) -> None:
    names = names_of_sdist(sdist)
    assert tracked("src/holdfast") | tracked("packaging") | tracked("core") <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "PKG-INFO"} <= names
    ours = [name for name in names if not name.startswith("src/holdfast/templates/")]
    assert [name for name in ours if any(part in name for part in NOT_SHIPPED)] == []


def test_the_metadata_says_what_is_true(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        about = BytesParser().parsebytes(archive.read(f"holdfast-{__version__}.dist-info/METADATA"))
        scripts = archive.read(f"holdfast-{__version__}.dist-info/entry_points.txt").decode()
    assert [about[name] for name in ("Version", "Requires-Python", "License-Expression")] == TRUE
    pythons = [line.rpartition(" ")[2] for line in about.get_all("Classifier") if ":: 3." in line]
    assert pythons == ["3.11", "3.12", "3.13"]
    assert about.get_all("Project-URL") is None, "there is no address yet that a link could lead to"
    assert {"holdfast =", "git-mile ="} <= {line.rpartition("=")[0] + "=" for line in scripts.splitlines()}
    assert "# Holdfast" in about.get_payload()


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_tree(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    tree = unpacked(sdist, tmp_path)
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "built", cwd=tree)
    assert (tmp_path / "built" / wheel.name).read_bytes() == wheel.read_bytes()


CARGO = """#!/bin/sh
echo "$@" >>"$CALLS"
[ "$STATUS" = 0 ] || echo "error: no such crate" >&2
mkdir -p "$CARGO_TARGET_DIR/release"
cd "$CARGO_TARGET_DIR/release" && echo machine code | tee libholdfast_core.so >libholdfast_core.dylib
exit "$STATUS"
"""


def built_with_cargo(
    tmp_path: Path, status: str, cargo: str | None = CARGO, without: str = ""
) -> tuple[Path, str]:
    """Build a wheel with a program in cargo's place; return the wheel and what was said."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "mkdir", "tee", "git"):
        (programs / name).symlink_to(shutil.which(name) or name)
    if cargo is not None:
        (programs / "cargo").write_text(cargo, encoding="utf-8")
        (programs / "cargo").chmod(0o755)
    variables = {"PATH": str(programs), "CALLS": str(tmp_path / "calls"), "STATUS": status}
    variables |= {"CARGO_TARGET_DIR": str(tmp_path / "target"), "HOLDFAST_WITHOUT_CORE": without}
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "built")
    done = run(*command, cwd=ROOT, env=clean_environment(**variables))
    [wheel] = (tmp_path / "built").iterdir()
    return wheel, done.stdout + done.stderr


def test_where_cargo_is_the_wheel_holds_the_core_and_is_of_one_platform(wheel: Path, tmp_path: Path) -> None:
    built, said = built_with_cargo(tmp_path, "0")
    assert names_of_wheel(built) - names_of_wheel(wheel) == {"holdfast/_core.abi3.so"}
    with zipfile.ZipFile(built) as archive:
        assert archive.read("holdfast/_core.abi3.so") == b"machine code\n"
        about = archive.read(f"holdfast-{__version__}.dist-info/WHEEL").decode()
    assert "Root-Is-Purelib: false" in about
    _, _, python, abi, platform = built.stem.split("-")
    assert (python, abi) == ("cp311", "abi3")
    assert platform == sysconfig.get_platform().replace("-", "_").replace(".", "_") or "macos" in platform
    assert "The compiled core is not in this wheel" not in said
    assert "build --release" in (tmp_path / "calls").read_text()


@pytest.mark.parametrize(
    ("status", "cargo", "without", "reason"),
    [
        ("101", CARGO, "", "cargo failed: error: no such crate"),
        ("0", None, "", "cargo is not installed"),
        ("0", CARGO, "1", "HOLDFAST_WITHOUT_CORE is set"),
    ],
)
def test_a_wheel_without_the_core_says_why_in_one_line(
    wheel: Path, tmp_path: Path, status: str, cargo: str | None, without: str, reason: str
) -> None:
    built, said = built_with_cargo(tmp_path, status, cargo, without)
    assert (built.name, built.read_bytes()) == (wheel.name, wheel.read_bytes())
    [line] = [line for line in said.splitlines() if "compiled core" in line]
    assert line == f"The compiled core is not in this wheel: {reason}."


def test_the_same_tree_gives_the_same_bytes(sdist: Path, tmp_path: Path) -> None:
    """Two copies whose files have other times and other rights, at one time of building; then at another."""
    built = []
    for moment, mode, epoch in (
        (1_600_000_000, 0o644, "0"),
        (1_650_000_000, 0o600, "0"),
        (0, 0o644, "1700000000"),
    ):
        place = tmp_path / str(moment)
        tree = unpacked(sdist, place)
        # A small tree is enough to show it: the package without most of its rooms.
        for room in (
            "analysis",
            "comments",
            "tasks",
            "milestones",
            "templates",
            "faces",
            "syntax",
            "storage",
        ):
            shutil.rmtree(tree / "src" / "holdfast" / room)
        for path in filter(Path.is_file, tree.rglob("*")):
            path.chmod(mode)
            os.utime(path, (moment, moment))
        variables = clean_environment(SOURCE_DATE_EPOCH=epoch)
        run(sys.executable, "-m", "hatchling", "build", "-d", place / "built", cwd=tree, env=variables)
        built.append({path.name: path.read_bytes() for path in (place / "built").iterdir()})
    assert built[0] == built[1]
    assert built[0] != built[2], "the control: the time of building is in the packages"
    assert len(built[0]) == 2
