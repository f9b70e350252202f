"""The pages of tools say what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.faces.docs import generated_files, tools_pages
from holdfast.kernel.registry import Registry
from holdfast.toolsets import full_registry
from tests.faces.cli.sample import attic, sample

ROOT = Path(__file__).resolve().parents[2]


def test_the_pages_name_every_tool_command_resource_and_prompt() -> None:
    registry = full_registry()
    pages = dict(tools_pages(registry))
    page = "".join(pages.values())
    for operation in registry.operations:
        assert f"- Tool: `{operation.listed_name}`" in page
        assert f"`holdfast {operation.toolset} {operation.command}`" in page
        assert operation.example in page
    assert "|  | `holdfast comments blame` |" in page, "a command that is no tool"
    assert all(f"| `{resource.uri}` |" in page for resource in registry.resources)
    assert all(f"| `{prompt.name}` |" in page for prompt in registry.prompts)


def test_a_page_is_the_same_every_time_and_shows_every_kind_of_argument() -> None:
    pages = list(tools_pages(Registry((sample, attic))))
    assert pages == list(tools_pages(Registry((sample, attic))))
    page = "".join(text for _, text in pages)
    assert "| `thing` | `THING` | text | required | What to describe. |" in page
    assert "| `colour` | `--colour` | `red` \\| `green` \\| `blue` | red | Its colour. |" in page
    assert "| `extraWords` | `[EXTRA-WORDS]...` | list of text |  | Words to add. |" in page


def test_a_stale_page_is_told(tmp_path: Path) -> None:
    def run(option: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "holdfast.faces.docs", option]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    stale = run("--check")
    assert (stale.returncode, "is out of date" in stale.stderr) == (1, True)
    (tmp_path / "docs").mkdir()
    assert run("--write").returncode == 0
    assert run("--check").returncode == 0


def test_what_is_generated_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    stale = [
        str(path)
        for path, text in generated_files(full_registry())
        if path.read_text(encoding="utf-8") != text
    ]
    assert not stale, "run `python -m holdfast.faces.docs --write`"
