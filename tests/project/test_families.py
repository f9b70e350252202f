"""Tests that cannot run say so, each of them and once more at the end: seen from outside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SETTINGS = """\
[pytest]
addopts = -ra --strict-markers -p no:cacheprovider
markers =
    node: x
    strace: x
"""
LAST_LINES = {
    "node": "family node was skipped entirely: the MCP clients are not installed",
    "strace": "family strace was skipped entirely: strace is not installed",
}


def outcome(folder: Path, tests: str, *arguments: str, path: str = "") -> str:
    """Run `tests` with our conftest where neither family has what it needs, and return what was printed."""
    (folder / "tests" / "reliability").mkdir(parents=True)
    shared = ("conftest.py", "__init__.py", "forked.py", "repositories.py")
    for name in (*shared, *(f"reliability/{name}.py" for name in ("__init__", "evidence", "samples"))):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "tests" / "test_example.py").write_text(f"import pytest\n{tests}")
    # Other plugins are not the point, and one that is slow to end keeps the whole run waiting for it.
    plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), **plugins},
        capture_output=True,
        text=True,
        timeout=240,
    ).stdout


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "in parallel"])
def test_a_family_that_was_skipped_entirely_is_named_at_the_end(tmp_path: Path, arguments: tuple[str, ...]):
    printed = outcome(
        tmp_path,
        "def test_always(): ...\n"
        "@pytest.mark.node\ndef test_one(): ...\n"
        "@pytest.mark.node\ndef test_two(): ...\n"
        "@pytest.mark.strace\ndef test_three(): ...\n",
        *arguments,
    )
    assert "1 passed, 3 skipped" in printed
    assert "SKIPPED [1]" in printed
    for line in LAST_LINES.values():
        assert line in printed


def test_a_family_that_nobody_asked_for_is_not_mentioned(tmp_path: Path):
    printed = outcome(
        tmp_path,
        "@pytest.mark.node\ndef test_one(): ...\n@pytest.mark.strace\ndef test_two(): ...\n",
        "-m",
        "not node",
    )
    assert LAST_LINES["node"] not in printed
    assert LAST_LINES["strace"] in printed


@pytest.mark.strace
def test_a_family_of_which_something_ran_is_not_mentioned(tmp_path: Path):
    printed = outcome(
        tmp_path,
        "@pytest.mark.strace\ndef test_one(): ...\n@pytest.mark.strace\ndef test_two(): pytest.skip('no')\n",
        path=os.environ["PATH"],
    )
    assert "1 passed, 1 skipped" in printed
    assert "skipped entirely" not in printed
