from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.kernel.registry import Selection
from holdfast.tool_search import FindTools, find_tools
from holdfast.toolsets import full_registry
from tests.faces.mcp.test_lazygit_profile import serve
from tests.wire.client import wire_client


def names(query: str, *, selection: Selection | None = None, limit: int = 3) -> list[str]:
    registry = full_registry() if selection is None else full_registry().select(selection)
    return [tool.name for tool in find_tools(registry, FindTools(query=query, limit=limit)).tools]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("move a note to another line", "move_comment"),
        ("notes that lost their code", "list_orphans"),
        ("synchronise milestones with a remote", "git_mile_sync"),
        ("Draw a CHART of the tasks", "taskpilot_chart"),
        ("export comments", "export_comments"),
        ("code duplication", "analyze_duplicates"),
        ("copy paste", "analyze_duplicates"),
        ("todo comments", "analyze_debt"),
        ("circular imports", "draw_dependency_graph"),
        ("bug prediction", "analyze_defect_probability"),
        ("centrality of files", "analyze_graph_metrics"),
        ("reopen an issue", "git_mile_open"),
        ("unused functions", "analyze_dead_code"),
        ("rename a milestone", "git_mile_edit"),
        ("uncommitted changes", "read_diff"),
        ("disk usage", "measure_stores"),
        ("kanban board", "taskpilot_board"),
        ("convert a todo list into tasks", "taskpilot_import"),
    ],
)
def test_a_tool_is_found_by_words_for_what_it_does(query: str, found: str):
    assert found in names(query)


def test_only_what_this_server_offers_is_found():
    assert "move_comment" in names("move comment")
    assert "move_comment" not in names("move comment", selection=Selection(read_only=True), limit=20)


def test_words_that_fit_nothing_are_answered_with_the_kinds_of_tools():
    found = find_tools(full_registry(), FindTools(query="xyzzy"))
    assert (found.tools, found.more) == ([], [])
    assert {"comments", "tasks", "tools"} <= set(found.toolsets)


def test_further_tools_are_named_without_their_arguments():
    found = find_tools(full_registry(), FindTools(query="comment", limit=1))
    assert len(found.tools) == 1
    assert "edit_comment" in [*found.more, found.tools[0].name]


def test_a_tool_that_is_not_listed_is_found_and_then_called_by_its_name(repository: Path):
    with wire_client(serve(), cwd=repository) as client:
        client.initialize()
        listed = {tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]}
        asked = {"name": "find_tools", "arguments": {"query": "orphaned comments"}}
        [tool] = [
            tool
            for tool in client.ask(2, "tools/call", asked)["result"]["structuredContent"]["tools"]
            if tool["name"] == "list_orphans"
        ]
        assert "list_orphans" not in listed
        assert tool["inputSchema"]["type"] == "object"
        assert "x-only-specified" not in json.dumps(tool)
        answer = client.ask(3, "tools/call", {"name": tool["name"], "arguments": {}})["result"]
        assert answer["structuredContent"]["total"] == 0
