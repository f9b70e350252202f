"""What clients can know of every tool, kept in files, so that no change of it goes unnoticed.

Lists are brief and leave some tools out; these files hold every tool with its whole schema.

`HOLDFAST_UPDATE_SNAPSHOTS=1 pytest tests/contract/test_snapshots.py` rewrites them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.faces.mcp.catalogue import ProtocolCatalogue
from holdfast.faces.mcp.output_schemas import output_schema
from holdfast.faces.mcp.profiles import PROFILES
from holdfast.kernel.registry import Selection
from holdfast.kernel.schema import input_schema, strip_marks
from holdfast.toolsets import full_registry

SNAPSHOTS = Path(__file__).with_name("snapshots")
IS_UPDATING = os.environ.get("HOLDFAST_UPDATE_SNAPSHOTS") == "1"
EVERYTHING = full_registry()
NAMED = EVERYTHING.select(Selection(tools=frozenset(item.listed_name for item in EVERYTHING.operations)))
LISTED = [
    tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    for tool in ProtocolCatalogue(NAMED, PROFILES["everything"], 1000).tools(None).tools
]


def whole(tool: dict[str, Any]) -> dict[str, Any]:
    operation = NAMED.operation(tool["name"])
    schemas = {"inputSchema": strip_marks(input_schema(operation))}
    if "outputSchema" in tool:
        schemas["outputSchema"] = output_schema(operation)
    return tool | schemas


TOOLS = {tool["name"]: whole(tool) for tool in LISTED}


def written(tool: dict[str, Any]) -> str:
    return json.dumps(tool, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_looks_as_it_did(name: str) -> None:
    path = SNAPSHOTS / f"{name}.json"
    if IS_UPDATING:
        path.write_text(written(TOOLS[name]), encoding="utf-8")
    assert path.exists(), f"{name} is new: rewrite the snapshots and look at the change"
    assert written(TOOLS[name]) == path.read_text(encoding="utf-8")


def test_no_snapshot_outlives_its_tool() -> None:
    stale = [path for path in sorted(SNAPSHOTS.iterdir()) if path.stem not in TOOLS]
    if IS_UPDATING:
        for path in stale:
            path.unlink()
    assert [path.name for path in stale if path.exists()] == []
