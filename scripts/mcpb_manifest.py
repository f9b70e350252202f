"""Print the manifest of the MCP bundle with the current tools: `python scripts/mcpb_manifest.py`.

The bundle is the source distribution with this manifest. The client builds and runs it with uv, so one bundle
works on every platform and contains no compiled packages.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from holdfast import __version__
from holdfast.faces.cli.groups import first_sentence
from holdfast.faces.mcp.call_tool import call_tool_entry
from holdfast.kernel.registry import CALL_TOOL
from holdfast.toolsets import full_registry

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


def server() -> dict[str, Any]:
    """Return how a client starts the server."""
    run = ["run", "--directory", "${__dirname}", "--no-dev", "holdfast", "serve"]
    return {
        "type": "uv",
        "entry_point": "src/holdfast/__main__.py",
        "mcp_config": {
            "command": "uv",
            "args": [*run, "--root", "${user_config.repository}"],
            "env": {"HOLDFAST_READ_ONLY": "${user_config.read_only}"},
        },
    }


def settings() -> dict[str, Any]:
    """Return the settings that a client asks its user for."""
    return {
        "repository": {
            "type": "directory",
            "title": "Repository",
            "description": "The git repository whose notes, tasks and issues are served",
            "required": True,
        },
        "read_only": {
            "type": "boolean",
            "title": "Read only",
            "description": "Offer nothing that writes",
            "default": False,
        },
    }


def manifest() -> dict[str, Any]:
    """Return the whole manifest."""
    listed = [operation for operation in full_registry().operations if operation.listed]
    summaries = {operation.listed_name: operation.summary for operation in listed}
    summaries[CALL_TOOL] = call_tool_entry(listed).description or ""
    tools = [{"name": name, "description": first_sentence(summaries[name])} for name in sorted(summaries)]
    return {
        "manifest_version": "0.4",
        "name": PROJECT["name"],
        "display_name": "Holdfast",
        "version": __version__,
        "description": PROJECT["description"],
        "author": PROJECT["authors"][0],
        "license": PROJECT["license"],
        "keywords": PROJECT["keywords"],
        "server": server(),
        "tools": tools,
        "tools_generated": True,  # find_tools finds unlisted ones, and call_tool calls them
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": PROJECT["requires-python"]},
        },
        "user_config": settings(),
    }


if __name__ == "__main__":
    print(json.dumps(manifest(), indent=2, ensure_ascii=False))
