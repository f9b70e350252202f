"""The MCP bundle: packed and checked by the official tool, unpacked, and the command it names run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import NODE, ROOT
from tests.packaging.conftest import OLDEST, PROGRAMS, clean_environment, find_python, run

MCPB = NODE.parent / "mcpb"
WITH_TOOLS = {"PATH": os.pathsep.join([str(NODE.parent), str(PROGRAMS), os.environ["PATH"]])}


def filled_in(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace("${" + name.replace("__user__", "user_config.") + "}", value)
    return text


@pytest.mark.node
def test_the_bundle_is_packed_and_its_command_serves(repository: Path, tmp_path: Path) -> None:
    if not MCPB.exists():
        pytest.skip("node: the packing tool is not installed; ./scripts/test installs it")
    bundle, folder = tmp_path / "holdfast.mcpb", tmp_path / "unpacked"
    environment = clean_environment(**WITH_TOOLS, HOME=str(tmp_path))
    run(ROOT / "scripts" / "bundle", os.path.relpath(bundle, ROOT), env=environment)
    run(MCPB, "unpack", bundle, folder, env=environment)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert (folder / manifest["server"]["entry_point"]).is_file()

    started = manifest["server"]["mcp_config"]
    values = {"__dirname": str(folder), "__user__repository": str(repository), "__user__read_only": "false"}
    variables = {name: filled_in(value, **values) for name, value in started["env"].items()}
    names = tools_of(
        [started["command"], *(filled_in(argument, **values) for argument in started["args"])],
        environment | variables | {"UV_PYTHON": str(find_python(OLDEST))},
    )
    assert names == [tool["name"] for tool in manifest["tools"]]


def tools_of(command: list[str], environment: dict[str, str]) -> list[str]:
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    messages = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    # Its input stays open until both have answered: a server whose client left need not answer.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(text)
        server.stdin.flush()
        answers = {answer["id"]: answer for answer in (json.loads(server.stdout.readline()) for _ in "12")}
        server.stdin.close()
    return sorted(tool["name"] for tool in answers[2]["result"]["tools"])


@pytest.mark.node
def test_the_tool_refuses_a_manifest_that_is_not_one(tmp_path: Path) -> None:
    """The control of the test above."""
    if not MCPB.exists():
        pytest.skip("node: the packing tool is not installed; ./scripts/test installs it")
    manifest = json.loads(run(sys.executable, ROOT / "scripts" / "mcpb_manifest.py").stdout)
    del manifest["server"]["entry_point"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    done = run(MCPB, "validate", tmp_path / "manifest.json", env=clean_environment(**WITH_TOOLS), check=False)
    assert done.returncode != 0
    assert "entry_point" in done.stdout + done.stderr


def test_the_manifest_names_a_command_and_settings_that_exist() -> None:
    manifest = json.loads(run(sys.executable, ROOT / "scripts" / "mcpb_manifest.py").stdout)
    text = json.dumps(manifest["server"])
    for name in manifest["user_config"]:
        assert "${user_config." + name + "}" in text
    assert shutil.which(manifest["server"]["mcp_config"]["command"], path=str(PROGRAMS))
    assert len({tool["name"] for tool in manifest["tools"]}) == len(manifest["tools"]) > 0
