"""The plugin for opencode, in the program that runs JavaScript."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.clients.node import NODE
from tests.conftest import ROOT, RunHoldfast
from tests.faces.hooks.payloads import NEW, OLD
from tests.faces.hooks.test_command import PROGRAM


@pytest.mark.node
def test_a_session_of_opencode_is_told_what_any_other_is(
    repository: Path, tmp_path: Path, run_holdfast: RunHoldfast
):
    (repository / "a.py").write_text(f"def b():\n{OLD}    return x\n", encoding="utf-8")
    run_holdfast("comments", "add", "a.py", "2", "Keep x first", "--tag", "NOTE", check=True)
    run_holdfast("send", "--file", "a.py", "--line", "2", "--comment", "Is x right?", check=True)
    run_holdfast("install", "opencode", "--no-skills", check=True)
    (repository / "a.py").write_text(f"def b():\n{NEW}    return x\n", encoding="utf-8")
    # Node takes a module by its name; opencode takes any.
    plugin = tmp_path / "holdfast.mjs"
    plugin.write_bytes((repository / ".opencode" / "plugins" / "holdfast.js").read_bytes())
    script = ROOT / "tests" / "faces" / "hooks" / "opencode.mjs"
    path = os.pathsep.join([str(PROGRAM.parent), os.environ["PATH"]])

    def session(**environment: str) -> dict[str, object]:
        done = subprocess.run(
            [NODE, script, plugin, repository, OLD, NEW],
            env={**os.environ, "PATH": path, **environment},
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        )
        told: dict[str, object] = json.loads(done.stdout)
        return told

    told = session()
    start, again, stop = told["messages"]  # type: ignore[misc]
    assert "1 review remark waits for you" in start
    assert str(told["prompt"]).startswith("Rename x\n\n")
    assert "Is x right?" in str(told["prompt"])
    assert str(told["edit"]).startswith("Done.\n\n")
    assert "Your edit deleted the code of note c_" in str(told["edit"])
    assert told["read"] == "Read."
    assert "Unanswered remark m_" in again
    assert "Before you stop:" in stop
    nothing = {"messages": [], "prompt": "Rename x", "edit": "Done.", "read": "Read."}
    assert session(PATH="/nowhere") == nothing, "without the program nothing changes"
