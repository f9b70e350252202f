"""Memories beside the other rooms: tasks that the caller holds, and symbols by their names alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast import toolsets
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.registry import Registry
from holdfast.workspace import Workspace

TEXTS = {"src/a.py": "The importer reads twice", "src/b.py": "Tokens live for an hour"}


class Rooms:
    def __init__(self, root: Path, workspace: Workspace) -> None:
        self.root = root
        registry = Registry((toolsets.toolset("comments"), toolsets.toolset("tasks")))
        self.dispatcher = Dispatcher(registry, workspace.room)

    def run(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.dispatcher.run(self.dispatcher.registry.operation(name), arguments, Call()).wire()

    def recall(self, **arguments: Any) -> list[str]:
        return [memory["text"] for memory in self.run("recall", **arguments)["memories"]]


@pytest.fixture
def rooms(repository: Path, home: Path) -> Iterator[Rooms]:
    (repository / "src").mkdir()
    workspace = Workspace.discover(repository)
    rooms = Rooms(repository, workspace)
    for path, text in TEXTS.items():
        (repository / path).write_text(
            f"def run_{path[4]}():\n    return 1\n\n\ndef shared():\n    return 2\n"
        )
        rooms.run("remember", text=text, about=path if path == "src/b.py" else ".")
    yield rooms
    workspace.close()


def test_a_task_brings_the_memories_on_its_files_and_with_its_words(rooms):
    rooms.run("taskpilot_init", project_name="kelp")
    added = {"task_description": "Speed up the importer", "connected_files": ["src/b.py"]}
    task = rooms.run("taskpilot_add", tasks=[added])["tasks_created"][0]["id"]
    assert set(rooms.recall(task=task)) == set(TEXTS.values())
    with pytest.raises(NotFound):
        rooms.recall(task="TP-999")
    for number in range(30):  # newer than what is on the files of the task
        rooms.run("remember", text=f"Fact number {number} of somebody else {number * 7}", anyway=True)
    assert set(rooms.recall()[:2]) != set(TEXTS.values())
    rooms.run("taskpilot_claim", action="take", task_id=task)
    assert set(rooms.recall()[:2]) == set(TEXTS.values())


def test_a_symbol_is_found_by_its_name_if_only_one_has_it(rooms):
    memory = rooms.run("remember", text="Returns one, always", about="run_a")["memory"]
    assert memory["about"] == "src/a.py:1-2 run_a"
    with pytest.raises(Conflict, match="2 symbols"):
        rooms.run("remember", text="Not unique", about="shared")
    with pytest.raises(NotFound):
        rooms.run("remember", text="Nowhere", about="run_c")
