"""The action for GitHub: its steps run by bash as a runner does, on changes that pass and that do not."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import click
import pytest
import yaml

from holdfast.faces.cli.application import application
from holdfast.faces.cli.host import Installation
from tests.conftest import ROOT
from tests.packaging.conftest import OLDEST, clean_environment, install, run

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SIMPLE = "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n"
TANGLED = "".join(f"    if a == {number}:\n        b += {number}\n" for number in range(12))


def filled_in(text: str, inputs: dict[str, str]) -> str:
    """Return a value as a runner gives it: an expression is an input, or what follows where that is empty."""

    def value(match: re.Match[str]) -> str:
        name, _, other = match[1].partition(" || ")
        given = inputs[name.removeprefix("inputs.")]
        return given or {"": "", "github.action_path": str(ROOT)}[other]

    return re.sub(r"\$\{\{ (.+?) \}\}", value, text)


@pytest.fixture
def runner(repository: Path, environment, tmp_path: Path):
    """Return what runs a step in a repository whose branch has one more commit than its base."""
    git = ("git", "-C", repository)
    (tmp_path / "runner").mkdir()
    (tmp_path / "runner" / "holdfast").symlink_to(environment(OLDEST))

    def commit(text: str) -> None:
        (repository / "code.py").write_text(text, encoding="utf-8")
        run(*git, "add", "-A", env=dict(os.environ))
        run(*git, "commit", "--quiet", "-m", "Change", env=dict(os.environ))

    commit(SIMPLE)
    run(*git, "update-ref", "refs/remotes/origin/main", "HEAD", env=dict(os.environ))

    def ran(name: str, change: str = "", **given: str) -> subprocess.CompletedProcess[str]:
        if change:
            commit(SIMPLE + change)
        inputs = {name: item["default"] for name, item in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        [step] = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
        variables = {name: filled_in(value, inputs) for name, value in step["env"].items()}
        surroundings = clean_environment(
            **variables, RUNNER_TEMP=str(tmp_path / "runner"), GITHUB_BASE_REF="main", HOME=str(tmp_path)
        )
        bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        return run(*bash, env=surroundings, cwd=repository, check=False)

    return ran


def test_the_first_step_installs_what_the_second_runs(runner, wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "runner" / "holdfast"
    place.unlink()
    install(place, OLDEST, wheel)  # so that pip has nothing to download but finds the package missing
    run(place / "bin" / "pip", "uninstall", "--quiet", "--yes", "holdfast")
    assert runner("Judge").returncode == 127
    installed = runner("Install Holdfast", package=str(wheel))
    assert installed.returncode == 0, installed.stderr
    assert run(place / "bin" / "holdfast", "--version").stdout


def test_a_change_without_violations_passes(runner) -> None:
    done = runner("Judge", "\n\nprint(add(2, 3))\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_violation_fails_the_step_and_is_written_as_sarif(runner, repository: Path) -> None:
    change = f"\n\ndef tangled(a, b):\n{TANGLED}    return b\n\n\nprint(tangled(1, 2))\n"
    done = runner("Judge", change, sarif="gate.sarif")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "tangled" in done.stdout + done.stderr
    [one] = json.loads((repository / "gate.sarif").read_text(encoding="utf-8"))["runs"]
    assert any("tangled" in result["message"]["text"] for result in one["results"])
    # A threshold that is given wins.
    assert runner("Judge", complexity_threshold="20").returncode == 0


def test_a_base_that_does_not_exist_is_an_error(runner) -> None:
    done = runner("Judge", base="origin/nowhere", sarif="gate.sarif")
    assert done.returncode not in (0, 127)
    assert "nowhere" in done.stderr


def test_inputs_reach_the_shell_as_data_alone() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"], "an expression in a script is code for whoever writes the input"
        assert step["shell"] == "bash"


def test_every_threshold_of_the_gate_is_an_input() -> None:
    group = application(Installation()).entries["analyze"].make("analyze")
    gate = group.get_command(click.Context(group), "gate")
    options = {name[2:] for option in gate.params for name in option.opts if name.endswith("-threshold")}
    assert options == {name for name in ACTION["inputs"] if name.endswith("-threshold")}
