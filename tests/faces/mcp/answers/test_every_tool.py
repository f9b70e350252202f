"""The answers of every tool in a repository with much of everything: bounded, and the same in both forms."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from holdfast.faces.mcp.answers.answer import bounded_answer
from holdfast.faces.mcp.answers.outline import is_empty
from holdfast.faces.mcp.output_schemas import brief_output_schema, output_schema
from holdfast.kernel.content import Embedded, Text
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Operation
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

BYTES_PER_TOKEN = 4
"""The usual estimate for JSON and English."""
MAX_TOKENS = 2700
"""For either form of an answer."""
MANY = 80
MARKER = "TODO"
PROJECT = {"project_path": "."}
FILE = "src/module_0.py"
LARGE: dict[str, dict[str, Any]] = {
    "add_comment": {"filePath": FILE, "line": 2, "tag": "NOTE", "text": "word " * 300},
    "analyze_code_churn": PROJECT,
    "analyze_complexity": PROJECT | {"toolchain": "python", "max_cyclomatic": 1, "format": "detailed"},
    "analyze_comprehensive": PROJECT,
    "analyze_dead_code": PROJECT | {"min_confidence": "low"},
    "analyze_debt": PROJECT | {"limit": 200},
    "analyze_deep_context": PROJECT,
    "analyze_defect_probability": PROJECT,
    "analyze_dependency_graph": PROJECT,
    "analyze_duplicates": PROJECT,
    "analyze_function_heat": PROJECT | {"limit": 100},
    "analyze_graph_metrics": PROJECT,
    "analyze_name_similarity": PROJECT | {"query": "total", "top_k": 50},
    "analyze_trend": PROJECT,
    "draw_dependency_graph": PROJECT,
    "measure_files": PROJECT,
    "quality_gate": PROJECT | {"complexity_threshold": 1},
    "export_comments": {"format": "json"},
    "find_files": {"query": "mod", "limit": 100},
    "find_tools": {"query": "comments tasks issues", "limit": 20},
    "generate_template": {
        "resource_uri": "template://makefile/rust/cli",
        "parameters": {"project_name": "kelp"},
    },
    "get_file_comments": {"filePath": FILE},
    "git_mile_list": {"entity": "issue", "limit": 100},
    "git_mile_log": {"limit": 100},
    "git_mile_overview": {"entity": "issue", "limit": 100},
    "git_mile_ready": {"limit": 100},
    "git_mile_vocabulary": {},
    "list_comments": {"limit": 200},
    "list_files": {"folder": "src"},
    "list_messages": {"limit": 100},
    "list_orphans": {},
    "list_templates": {},
    "measure_stores": {},
    "check_stores": {},
    "read_diff": {"what": "worktree", "file": "src/module_1.py"},
    "read_blame": {"file": "src/module_1.py"},
    "read_history": {"file": "src/module_1.py"},
    "read_source": {"file": "src/long.py"},
    "recall": {"max_tokens": 20_000},
    "scaffold_project": {
        "toolchain": "python-uv",
        "templates": ["all"],
        "parameters": {"project_name": "kelp"},
    },
    "search_comments": {"query": "note", "limit": 100},
    "search_templates": {"query": "project"},
    "taskpilot_audit": {"scope": "full"},
    "taskpilot_board": {"limit": 100},
    "taskpilot_events": {"limit": 100},
    "taskpilot_flows": {},
    "taskpilot_graph": {"limit": 100},
    "taskpilot_health": {},
    "taskpilot_list": {"limit": 100},
    "taskpilot_rules": {},
    "taskpilot_start": {"workspace_path": "."},
    "taskpilot_status": {"detailed": True},
    "taskpilot_steps": {},
    "taskpilot_workspaces": {},
    "taskpilot_focus": {"task_id": "TP-9"},
    "taskpilot_show": {"task_id": "TP-9", "whole": True},
    "check_lazygit_messages": {},
}
"""The arguments with which each tool has much to answer."""
NOT_LARGE = {
    "git_mile_show",
    "read_image",
    "show_message",
    "taskpilot_attachment",
    "taskpilot_chart",
    "taskpilot_generate_prompt",
    "validate_template",
}
"""Reading tools about one thing, which has to be named."""


class Answer(NamedTuple):
    operation: Operation
    text: str
    data: dict[str, Any]


def fill(root: Path, dispatcher: Dispatcher) -> None:
    """Put much of everything into a repository."""
    (root / "src").mkdir()
    for number in range(MANY):
        lines = [f"from src import module_{(number + 1) % MANY}", ""]
        for index in range(12):
            lines += [
                f"def total_{number}_{index}(values, limit={number}):  # {MARKER} {number} part {index}",
                "    if values and limit:",
                f"        return [value for value in values if value > {index} or value < limit]",
                f"    return module_{(number + 1) % MANY}.total_{number}_{index}(values)",
                "",
            ]
        (root / f"src/module_{number}.py").write_text("\n".join(lines), encoding="utf-8")
    (root / "src/long.py").write_text("value = 1  # one of many lines\n" * 1000, encoding="utf-8")
    for arguments in (
        ("add", "."),
        ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message=Begin"),
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    changed = root / "src/module_1.py"
    changed.write_text(changed.read_text(encoding="utf-8").replace("value >", "value >="), encoding="utf-8")
    body = "This has been written at some length, so that there is much to answer with. " * 3
    run(dispatcher, "taskpilot_init", {"project_name": "kelp"})
    tasks = [{"task_description": f"Task {n}. {body}", "criteria": [f"It does {n}"]} for n in range(MANY)]
    for start in range(0, MANY, 20):
        run(dispatcher, "taskpilot_add", {"tasks": tasks[start : start + 20]})
    for number in range(MANY):
        run(dispatcher, "send_message", {"file": FILE, "comment": f"Remark {number}. {body}", "line": "3"})
        run(
            dispatcher,
            "git_mile_create",
            {"entity": "issue", "title": f"Issue {number}", "description": body},
        )
        arguments = {
            "filePath": FILE,
            "line": number % 50 + 1,
            "tag": "NOTE",
            "text": f"Note {number}. {body}",
        }
        run(dispatcher, "add_comment", arguments)
        memory = {"text": f"Fact {number}. {body}", "about": f"{FILE}:{number % 50 + 1}", "anyway": True}
        run(dispatcher, "remember", memory)


def run(dispatcher: Dispatcher, name: str, arguments: dict[str, Any]) -> tuple[Operation, Any]:
    operation = dispatcher.registry.operation(name)
    return operation, dispatcher.run(operation, arguments, dispatcher.new_call(operation))


@pytest.fixture(scope="module")
def dispatcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    root = tmp_path_factory.mktemp("large")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    workspace = Workspace.discover(root)
    opened = Dispatcher(full_registry(), workspace.room)
    fill(root, opened)
    yield opened
    opened.close()
    workspace.close()


def answer(dispatcher: Dispatcher, name: str, max_bytes: int = LIMITS.answer_bytes) -> Answer:
    operation, output = run(dispatcher, name, LARGE[name])
    items, data = bounded_answer(operation, output, max_bytes)
    text = "\n".join(item.text or "" for item in items if isinstance(item, Text | Embedded))
    return Answer(operation, text, data or {})


def tokens(value: str) -> int:
    return len(value.encode()) // BYTES_PER_TOKEN


def encoded(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif not is_empty(value) and value is not True:
        yield value


def plain(text: str) -> str:
    return " ".join(text.split())


def test_every_reading_tool_is_measured() -> None:
    reading = {item.listed_name for item in full_registry().operations if item.effect.value == "read"}
    assert reading - LARGE.keys() == NOT_LARGE


@pytest.mark.parametrize("name", LARGE)
def test_an_answer_is_bounded_and_its_forms_say_the_same(dispatcher: Dispatcher, name: str) -> None:
    operation, text, data = answer(dispatcher, name)
    print(f"{name}: {tokens(text)} tokens of text, {tokens(encoded(data))} of data")
    assert tokens(text) <= MAX_TOKENS
    assert tokens(encoded(data)) <= MAX_TOKENS
    said = plain(text)
    for leaf in leaves(data):
        if isinstance(leaf, str):
            lines = [plain(line) in said for line in leaf.splitlines()]
            assert all(lines) or json.dumps(leaf, ensure_ascii=False)[1:-1] in text, leaf
        else:
            spelled = {f"{abs(leaf):g}", str(abs(leaf)), *(f"{abs(leaf):.{n}f}" for n in range(4))}
            spelled |= {f"{abs(100 * leaf):.{n}f}" for n in range(4)}
            assert spelled & set(re.findall(r"\d+(?:\.\d+)?", text.replace(",", "") + text)), leaf
    for schema in (output_schema(operation), brief_output_schema(operation)):
        jsonschema.validate(data, schema)  # what was cut still fits


@pytest.mark.parametrize("name", ["list_templates", "analyze_deep_context", "list_messages", "read_source"])
def test_everything_is_there_on_request(dispatcher: Dispatcher, name: str) -> None:
    shortened = answer(dispatcher, name).data["shortened"]
    [needed] = re.findall(r"max_bytes: (\d+)", shortened["hint"])
    whole = answer(dispatcher, name, int(needed) + 1000)
    assert "shortened" not in whole.data
    assert len(encoded(whole.data)) > LIMITS.answer_bytes


def test_a_document_for_a_program_is_whole(dispatcher: Dispatcher) -> None:
    operation, output = run(
        dispatcher,
        "analyze_complexity",
        {**LARGE["analyze_complexity"], "format": "sarif", "max_cyclomatic": 1},
    )
    [item], data = bounded_answer(operation, output, 2000)
    assert isinstance(item, Text)
    assert len(json.loads(item.text)["runs"][0]["results"]) == output.violations_total
    assert len(encoded(data or {})) <= 2500
