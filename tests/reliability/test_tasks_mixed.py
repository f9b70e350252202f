"""Several faces on one repository at once: what was acknowledged is there at the end, and no more."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.history import state_of
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.rows import task_by_uid
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from tests.contract.prepared import HOLDFAST
from tests.faces.http.running import running_server
from tests.reliability.evidence import Tally
from tests.reliability.task_faces import Face, by_command, by_pipe, by_rest
from tests.tasks.happenings import events_of, replayed
from tests.wire.client import wire_client

SHARED = 3


class Model:
    """What the faces were told is stored: titles of new tasks, and labels of the shared ones."""

    def __init__(self) -> None:
        self.titles: dict[str, str] = {}
        self.labels: set[str] = set()
        self.versions: list[tuple[str, int]] = []
        self.refused = 0
        self.lock = threading.Lock()


def work(face: Face, name: str, steps: int, model: Model, trouble: list[str]) -> None:
    """Add tasks, label shared ones, and rename them with the version that was seen last."""
    chances = random.Random(name)
    try:
        for number in range(steps):
            _step(face, f"{name}-{number}", chances, model)
    except Exception as error:
        trouble.append(f"{name}: {error!r}")


def _step(face: Face, word: str, chances: random.Random, model: Model) -> None:
    shared = f"TP-{chances.randint(1, SHARED)}"
    match chances.choice(["add", "label", "rename"]):
        case "add":
            result = face("taskpilot_create_task", {"title": word})
            with model.lock:
                model.titles[result["task"]["id"]] = word
        case "label":
            result = face("taskpilot_update", {"task_id": shared, "add": {"labels": [word]}})
            with model.lock:
                model.labels.add(word)
                model.versions.append((shared, result["task"]["version"]))
        case _:
            seen = chances.randint(1, 5)
            result = face("taskpilot_update", {"task_id": shared, "set": {"plan": word}, "if_version": seen})
            with model.lock:
                if "error" in result:
                    assert result["error"]["kind"] == "out_of_date", result
                    model.refused += 1
                else:
                    assert result["task"]["version"] == seen + 1
                    model.versions.append((shared, seen + 1))


@pytest.mark.requirement("reliability-B5")
@pytest.mark.evidence("B5", "tasks in sqlite", "three faces at once")
def test_b5_what_server_rest_and_commands_acknowledged_is_what_is_stored(repository: Path, tally: Tally):
    room = Tasks(Repository.at(repository))
    ensure_workspace(room, "Kelp", [], "criteria")
    room.create([Draft(f"Shared {number}") for number in range(SHARED)], CallerIdentity("ada"))
    model, trouble = Model(), list[str]()
    with wire_client([HOLDFAST, "serve"], cwd=repository) as pipe, running_server(repository) as server:
        faces = {
            "pipe": (by_pipe(pipe), 120),
            "rest": (by_rest(server), 120),
            "command": (by_command(repository), 12),
        }
        threads = [
            threading.Thread(target=work, args=(face, name, steps, model, trouble))
            for name, (face, steps) in faces.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert trouble == []
    with room.reading() as connection:
        titles = {
            f"TP-{n}": title for n, title in connection.execute("SELECT n, title FROM task WHERE n > 3")
        }
        labels = {row[0] for row in connection.execute("SELECT label FROM label")}
        versions = [room.get(f"TP-{number}").version for number in range(1, SHARED + 1)]
        for uid, state in replayed(events_of(room, limit=100_000)).items():
            assert state_of(connection, task_by_uid(connection, uid)) == state
    room.close()
    tally(252, [*titles.items() ^ model.titles.items(), *(labels ^ model.labels)], f"{model.refused} refused")
    assert titles == model.titles
    assert labels == model.labels
    assert len(model.versions) == len(set(model.versions)) == sum(versions) - SHARED
