"""A workspace begins with what its languages ask for, by their names and by their files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.tasks.tools.add import AddTasks, add, added_text
from holdfast.tasks.tools.init import InitWorkspace, init
from holdfast.tasks.tools.update import UpdateTask, update
from tests import forked
from tests.faces.http.running import HOLDFAST
from tests.tasks.conftest import OpenTasks


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("JavaScript, MongoDB, Django", ["python", "node"]),
        ("Go and Rust", ["rust", "go"]),
        ("Java/Spring", ["java"]),
        ("COBOL", []),
    ],
)
def test_a_language_is_told_by_its_name_and_not_by_letters_in_another(
    open_tasks: OpenTasks, told: str, known: list[str]
):
    assert init(open_tasks(), InitWorkspace(tech_stack=told)).tech_stack == known


def test_a_second_call_tells_what_the_workspace_began_with(open_tasks: OpenTasks):
    init(open_tasks(), InitWorkspace(tech_stack="Rust"))
    again = init(open_tasks(), InitWorkspace(tech_stack="PHP"))
    assert (again.already_initialized, again.tech_stack) == (True, ["rust"])


PACKAGE = """{"scripts": {"test": "vitest", "lint": "eslint .", "build": "tsc"}}"""
WORKFLOW = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .
      - run: |
          python -m pytest tests -q
          echo done | tee log
      - run: pytest ${{ matrix.extra }}
      - run: make lint
        working-directory: docs
  docs: {}
"""


@pytest.fixture
def with_history(room_files: Callable[[dict[str, str]], None], open_tasks: OpenTasks) -> OpenTasks:
    room_files({"README.md": "Kelp"})
    return open_tasks


@pytest.fixture
def room_files(repository: Path) -> Callable[[dict[str, str]], None]:
    """Commit files."""

    def commit(files: dict[str, str]) -> None:
        for name, text in files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for words in (("add", "."), ("commit", "--quiet", "--message", "Begin")):
            subprocess.run(["git", "-C", str(repository), *words], check=True)

    return commit


def test_a_repository_with_history_gets_no_invented_tasks_or_rules(with_history: OpenTasks):
    begun = init(with_history(), InitWorkspace())
    assert (begun.tasks_created, begun.rules_applied, begun.rules_initialized) == ([], [], 0)


@pytest.mark.parametrize(
    ("files", "rules"),
    [
        ({"package.json": PACKAGE}, ["npm test", "npm run lint"]),
        ({"package.json": PACKAGE, "pnpm-lock.yaml": ""}, ["pnpm test", "pnpm run lint"]),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, []),
        ({"package.json": "{"}, []),
        ({"tox.ini": "[tox]\n"}, ["tox"]),
        ({"pyproject.toml": "[project]\n"}, []),
        ({"pyproject.toml": "[tool.tox]\n"}, ["tox"]),
        ({".github/workflows/ci.yml": WORKFLOW}, ["python -m pytest tests -q"]),
        ({".github/workflows/ci.yml": "on: ["}, []),
    ],
)
def test_rules_name_the_checks_that_a_project_runs(
    with_history: OpenTasks,
    room_files: Callable[[dict[str, str]], None],
    files: dict[str, str],
    rules: list[str],
):
    room_files(files)
    applied = init(with_history(), InitWorkspace()).rules_applied
    assert [rule.split("`")[1] for rule in applied] == rules
    assert all(any(name in rule for name in files) for rule in applied)


def test_what_is_asked_for_is_there_with_history_too(with_history: OpenTasks):
    begun = init(with_history(), InitWorkspace(tech_stack="Rust", project_requirements="It floats"))
    assert [task.title for task in begun.tasks_created] == ["Plan the requirements"]
    assert "Run cargo test before a task is done." in begun.rules_applied


def test_a_title_is_the_whole_first_sentence(open_tasks: OpenTasks):
    room = open_tasks()
    init(room, InitWorkspace())
    sentence = "Answer 413 with the limit when the body of a request is larger than the server accepts"
    (task,) = add(room, AddTasks(task_description=f"{sentence}. Then close the connection.")).tasks_created
    assert task.title == sentence


@pytest.mark.parametrize("typed", ["lamp.py", "./lamp.py", "../sea/lamp.py"])
def test_a_path_typed_in_a_subfolder_counts_from_there(
    repository: Path, room_files: Callable[[dict[str, str]], None], typed: str
):
    room_files({"sea/lamp.py": "lit = True"})

    def run(*words: str) -> str:
        command = [HOLDFAST, "tasks", *words]
        return forked.run(command, cwd=repository / "sea", capture_output=True, text=True, check=True).stdout

    run("init")
    assert "There is no file" not in run("add", "Light it", "--connected-files", f"{typed}:1-2")
    shown = json.loads(run("list", "--connected-file", typed, "--json"))["tasks"]
    assert [task["title"] for task in shown] == ["Light it"]
    number = shown[0]["id"]
    run("update", number, "--field", "connected_files", "--value", typed)
    run("attach", number, typed)
    found = json.loads(run("show", number, "--json"))["task"]
    assert (found["connected_files"], found["attachments"][0]["name"]) == (
        [{"path": "sea/lamp.py"}],
        "lamp.py",
    )


def test_a_file_that_does_not_exist_is_reported(open_tasks: OpenTasks):
    room = open_tasks()
    init(room, InitWorkspace())
    added = add(room, AddTasks(title="Light it", connected_files=["lamp.py:3"]))
    assert added.missing_files == ["lamp.py"]
    assert added_text(added).endswith("There is no file lamp.py yet.")
    changed = update(room, UpdateTask(task_id="TP-1", add={"connected_files": ["wick.py"]}))
    assert changed.missing_files == ["wick.py"]
