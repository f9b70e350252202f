"""The hook, the settings and the snippets for CI that the documentation shows, run as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from holdfast.analysis.gate.settings import GateSettings, gate_settings
from holdfast.storage.git.repository import Repository
from tests.analysis.junit_schema import check_junit
from tests.analysis.sarif_schema import check_sarif
from tests.analysis.tools.test_quality_gate import branches
from tests.conftest import ROOT
from tests.contract.prepared import HOLDFAST
from tests.storage.git_support import commit, git

GUIDE = (ROOT / "docs" / "quality-gate.md").read_text(encoding="utf-8")
OLD, TANGLED = branches(13, "old"), branches(12)


def snippets(language: str, holding: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    return [text for text in found if holding in text]


def run(command: list[str], where: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(HOLDFAST).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, **variables}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def branch(repository: Path) -> Path:
    """A repository in which a branch adds a function that is too complex."""
    commit(repository, {"old.py": OLD, "fine.py": "print(1)\n"})
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(repository, "checkout", "--quiet", "-b", "topic")
    commit(repository, {"new.py": TANGLED})
    return repository


def test_the_hook_lets_a_commit_through_or_not_by_what_it_adds(repository: Path) -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("holdfast-gate", "python", False)
    entry = shlex.split(hook["entry"])
    assert run(entry, repository).returncode != 0  # nothing to compare with is no pass
    commit(repository, {"old.py": OLD, "fine.py": "print(1)\n"})
    (repository / "fine.py").write_text("print(2)\n", encoding="utf-8")
    git(repository, "add", "fine.py")
    (repository / "untracked.py").write_text(TANGLED, encoding="utf-8")
    passed = run(entry, repository)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    git(repository, "add", "untracked.py")
    failed = run(entry, repository)
    assert failed.returncode == 1
    assert "untracked.py:1" in failed.stdout
    assert "old.py" not in failed.stdout


def test_the_command_for_any_ci_writes_junit_and_fails(branch: Path) -> None:
    [snippet] = snippets("sh", "$BASE")
    failed = run(["sh", "-c", snippet], branch, BASE="main")
    assert failed.returncode == 1
    suite = check_junit((branch / "gate.xml").read_text(encoding="utf-8"))
    failure = suite.find("testcase[@name='complexity']/failure")
    assert failure is not None
    assert failure.text is not None
    assert failure.text.startswith("new.py:1: f:")
    missing = run(["sh", "-c", snippet], branch, BASE="gone")
    assert (missing.returncode, (branch / "gate.xml").read_text(encoding="utf-8")) == (3, "")


def test_the_workflow_writes_sarif_and_fails(branch: Path) -> None:
    [snippet] = snippets("yaml", "runs-on")
    steps = yaml.safe_load(snippet)["jobs"]["gate"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    [command] = [step["run"] for step in steps if "analyze gate" in step.get("run", "")]
    failed = run(["bash", "-e", "-c", command], branch, GITHUB_BASE_REF="main")
    assert failed.returncode == 1
    document = check_sarif((branch / "gate.sarif").read_text(encoding="utf-8"))
    rules = {found["ruleId"] for found in document["runs"][0]["results"]}
    assert "cyclomatic-complexity" in rules


def test_the_settings_that_are_shown_are_all_there_are(repository: Path) -> None:
    [snippet] = snippets("toml", "gate")
    (repository / "pyproject.toml").write_text(snippet, encoding="utf-8")
    settings, place = gate_settings(Repository.at(repository), "")
    assert place == "pyproject.toml"
    shown = tomllib.loads(snippet)["tool"]["holdfast"]["gate"]
    assert shown.keys() == GateSettings.model_fields.keys()
    assert json.loads(settings.model_dump_json()) == shown
