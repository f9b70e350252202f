"""The pages of docs/clients: what each says `holdfast install` writes is what it prints.

`HOLDFAST_UPDATE_SNAPSHOTS=1` writes the pages anew.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from holdfast.installation.clients import CLIENTS
from tests.conftest import ROOT, RunHoldfast

PAGES = ROOT / "docs" / "clients"
REGION = re.compile(r"(<!-- printed: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
WRITES = bool(os.environ.get("HOLDFAST_UPDATE_SNAPSHOTS"))  # before a test's empty home hides it
SHOWN = [name for name in CLIENTS if name != "git"]


@pytest.mark.parametrize("client", SHOWN)
def test_a_page_shows_what_is_written(client: str, run_holdfast: RunHoldfast, repository: Path) -> None:
    page = PAGES / f"{client}.md"
    text = page.read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    arguments = ("install", client, "--print", "--no-skills")  # A skill reads the same in its own file.
    done = run_holdfast(*arguments, check=True, env=os.environ | {"PATH": path})
    program = str(Path(sys.executable).with_name("holdfast"))
    printed = done.stdout.replace(program, "/path/to/holdfast").replace(
        str(repository), "/path/to/repository"
    )
    assert [found[1] for found in REGION.findall(text)] == [client]
    wanted = REGION.sub(lambda found: f"{found[1]}```text\n{printed}```\n{found[3]}", text)
    if WRITES:
        page.write_text(wanted, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == wanted


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_a_page_says_what_was_verified_and_what_was_not(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "\n## Check that it works\n" in text or page.stem == "others"
    verified = text.partition("\n## What was verified\n")[2]
    assert re.search(r"\*\*(?:Not verified:|Nothing with the program itself)", verified)
    for test in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (ROOT / test).exists(), test


def test_versions_are_those_of_the_clients_that_tests_run() -> None:
    packages = (ROOT / "tests" / "clients" / "package.json").read_text(encoding="utf-8")
    others = (PAGES / "others.md").read_text(encoding="utf-8")
    for name in ("inspector", "client", "sdk", "conformance"):
        found = re.search(rf'"@modelcontextprotocol/{name}": "([^"]+)"', packages)
        assert found is not None
        assert found[1] in others, name
