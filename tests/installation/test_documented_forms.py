"""What is written for each client has the form that the client documents.

The schemas say, in as few words as possible, what the documentation named beside each says. Codex and Gemini
CLI publish schemas, whose members these are.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from holdfast.installation.client import Scope
from holdfast.installation.clients import CLIENTS
from holdfast.installation.clients.agents import AGENTS
from holdfast.installation.plan import apply_changes, plan_installation
from tests.installation.places import CONTRIBUTED, context

TEXT, NUMBER = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}


def exactly(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


def events(*names: str, entry: dict[str, Any]) -> dict[str, Any]:
    return exactly({}, **{name: many(entry) for name in names})


ARGUMENTS = many(TEXT)
STDIO = exactly({"command": TEXT, "args": ARGUMENTS}, type={"const": "stdio"})
COMMAND = exactly({"type": {"const": "command"}, "command": TEXT}, timeout=NUMBER)
GROUP = exactly({"hooks": many(COMMAND)}, matcher=TEXT)
CLAUDE_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
SERVERS = {
    "claude-code": exactly({"mcpServers": {"additionalProperties": STDIO}}),  # code.claude.com/docs/en/mcp
    "claude-desktop": exactly({"mcpServers": {"additionalProperties": STDIO}}),
    "cursor": exactly({"mcpServers": {"additionalProperties": STDIO}}),  # cursor.com/docs/mcp
    "vscode": exactly({"servers": {"additionalProperties": STDIO}}),  # its MCP configuration reference
    # `RawMcpServerConfig` in codex-rs/core/config.schema.json
    "codex": exactly(
        {"mcp_servers": {"additionalProperties": exactly({"command": TEXT, "args": ARGUMENTS})}}
    ),
    # schemas/settings.schema.json and docs/hooks/reference.md, where time limits are milliseconds
    "gemini-cli": exactly(
        {
            "mcpServers": {"additionalProperties": exactly({"command": TEXT, "args": ARGUMENTS})},
            "hooks": events("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", entry=GROUP),
        }
    ),
    # add-mcp-servers.md of Copilot CLI
    "copilot-cli": exactly(
        {
            "mcpServers": {
                "additionalProperties": exactly(
                    {
                        "type": {"const": "local"},
                        "command": TEXT,
                        "args": ARGUMENTS,
                        "tools": {"const": ["*"]},
                    }
                )
            }
        }
    ),
    # mcp-servers.mdx of opencode
    "opencode": exactly(
        {
            "mcp": {
                "additionalProperties": exactly(
                    {"type": {"const": "local"}, "command": ARGUMENTS, "enabled": {"const": True}}
                )
            }
        }
    ),
}
COPILOT_EVENTS = ("SessionStart", "PostToolUse", "Stop")
HOOKS = {
    "claude-code": exactly({"hooks": events(*CLAUDE_EVENTS, entry=GROUP)}),  # code.claude.com/docs/en/hooks
    "codex": exactly({"hooks": events(*CLAUDE_EVENTS, entry=GROUP)}),  # `HooksToml` in the same schema
    # the hooks references of VS Code and of Copilot CLI, whose file has a version
    "vscode": exactly({"version": {"const": 1}, "hooks": events(*COPILOT_EVENTS, entry=COMMAND)}),
    "copilot-cli": exactly({"version": {"const": 1}, "hooks": events(*COPILOT_EVENTS, entry=COMMAND)}),
    # cursor.com/docs/agent/hooks
    "cursor": exactly(
        {
            "version": {"const": 1},
            "hooks": events("sessionStart", "postToolUse", "stop", entry=exactly({"command": TEXT})),
        }
    ),
}
CASES = [(agent.name, scope) for agent in AGENTS for scope in agent.scopes]


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_every_file_has_the_form_that_its_client_documents(name: str, scope: Scope, tmp_path: Path):
    (tmp_path / "r").mkdir()
    place = context(tmp_path / "r", tmp_path / "home", scope=scope)
    apply_changes(plan_installation(CLIENTS[name], place, CONTRIBUTED))
    paths = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    checked = set()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if path.name == "SKILL.md":
            check_skill(path, text)
        elif path.name == "plugin.json":
            assert re.fullmatch(r"[a-z0-9-]+", json.loads(text)["name"])
            assert re.fullmatch(r"\d+\.\d+\.\d+.*", json.loads(text)["version"])
        elif path.suffix == ".json":
            document = json.loads(text)
            schemas = HOOKS if "hooks" in document and name != "gemini-cli" else SERVERS
            jsonschema.validate(document, schemas[name])
            checked.add("hooks" if "hooks" in document else "server")
        elif path.name == "config.toml":
            jsonschema.validate(tomllib.loads(text), SERVERS[name])
        elif path.suffix == ".toml":
            command = tomllib.loads(text)
            assert command.keys() == {"description", "prompt"}
            assert "{{args}}" in command["prompt"]
        elif path.name == "remarks.md":
            fields = yaml.safe_load(text.split("---\n")[1])
            assert set(fields) <= {"description", "allowed-tools"}
            assert text.endswith("\n$ARGUMENTS\n")
        else:
            is_instruction = path.name in ("CLAUDE.md", "AGENTS.md", "GEMINI.md", "copilot-instructions.md")
            assert is_instruction or path.name == "holdfast.js"
    assert ("hooks" in checked) is (name not in ("claude-desktop", "opencode"))


def check_skill(path: Path, text: str) -> None:
    """Check what agentskills.io/specification says about a skill in its folder."""
    fields = yaml.safe_load(text.split("---\n")[1])
    assert fields.keys() == {"name", "description"}
    assert fields["name"] == path.parent.name
    assert path.parent.parent.name == "skills"


def test_the_control_finds_a_member_that_a_client_does_not_document():
    wrong = {"version": 1, "hooks": {"stop": [{"command": "x", "type": "command"}]}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, HOOKS["cursor"])
