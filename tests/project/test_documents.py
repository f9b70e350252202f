from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from holdfast import __version__
from tests.conftest import ROOT

HIDDEN = re.compile(r"(^|/)(\.|node_modules/)")
DOCUMENTS = sorted(
    path for path in ROOT.rglob("*.md") if not HIDDEN.search(path.relative_to(ROOT).as_posix())
)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(document: Path):
    for link in LINK.finditer(FENCE.sub("", document.read_text(encoding="utf-8"))):
        target, _, anchor = link["target"].partition("#")
        if re.match(r"\w+:", target):
            continue
        path = document.parent / target if target else document
        assert path.exists(), link["target"]
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), link["target"]


def test_the_commands_of_the_readme_exist_and_can_be_run():
    commands = set(re.findall(r"\./(scripts/\w+)", README))
    assert {"scripts/serve", "scripts/test"} <= commands
    for command in [*commands, ".ci/run"]:
        assert os.access(ROOT / command, os.X_OK), command


def test_every_test_the_readme_names_exists():
    named = re.findall(r"`(tests/[\w/.]+)`", README)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_promise_is_listed():
    assert re.findall(r"^\| (\d)\b", README, re.MULTILINE) == list("1234567")


def test_decisions_are_numbered_without_gaps():
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    for number, decision in enumerate(decisions, 1):
        assert decision.name.startswith(f"{number:04}-")
        assert decision.read_text(encoding="utf-8").startswith(f"# {number}. ")


def test_the_changelog_lists_unreleased_changes_and_then_this_version_with_its_date():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)", headings[1])


def test_the_rules_fit_on_a_page():
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= 80


def test_every_script_is_said_what_it_is_for_in_its_second_line():
    for script in sorted((ROOT / "scripts").glob("[!_]*")):
        if script.is_file() and not script.suffix:
            assert script.read_text(encoding="utf-8").splitlines()[1].startswith("# "), script.name


def test_markers_and_families_agree():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    markers = {line.partition(":")[0] for line in settings["tool"]["pytest"]["ini_options"]["markers"]}
    from tests.conftest import FAMILIES

    assert set(FAMILIES) <= markers
