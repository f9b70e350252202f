"""The wheel and the sdist: what is in them, and that the same tree gives the same bytes."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import zipfile
from email.parser import BytesParser
from pathlib import Path

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
    assert tracked("src/holdfast") | tracked("packaging/share") <= names
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
