"""What there is is counted as it is, nothing is changed by it, and a server says what it served."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from holdfast.doctor import StoreRoom
from holdfast.kernel.errors import Busy
from holdfast.kernel.models import NoArguments
from holdfast.kernel.telemetry.statistics import MAX_DURATIONS, ProcessStatistics, RequestStatistics
from holdfast.stats import measure_stores
from holdfast.storage.git.repository import Repository
from holdfast.workspace import Workspace
from tests import forked
from tests.contract.prepared import HOLDFAST, environment, prepare
from tests.faces.http.running import running_server


def measured(place: Path, variables: dict[str, str] | None = None) -> dict[str, Any]:
    command = [HOLDFAST, "stats", "--json"]
    done = forked.run(command, cwd=place, env=variables, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_repository_with_nothing_in_it_has_nothing_and_keeps_no_trace(repository: Path) -> None:
    before = contents(repository)
    result = measured(repository)
    assert [store["store"] for store in result["stores"]] == ["comments", "inbox", "milestones", "tasks"]
    assert all(store["counts"] == {} and store["problem"] is None for store in result["stores"])
    assert (result["bytes"], result["files"], result["server"]) == (0, [], None)
    assert contents(repository) == before


def test_every_room_says_its_own_counts_in_every_work_tree(tmp_path: Path) -> None:
    place, variables = prepare(tmp_path / "repository", tmp_path / "home"), environment(tmp_path / "home")
    (place / "src/gone.py").write_text("")
    orphan = {"id": "c_1", "line": 7, "text": "x", "author": "Ada", "tag": "NOTE", "status": "resolved"}
    sidecar = {"file": "src/gone.py", "version": "2.0", "comments": [orphan], "ghostMarkers": []}
    (place / "src/gone.py.comments").write_text(json.dumps(sidecar))
    result = measured(place, variables)
    told = forked.run([HOLDFAST, "stats"], cwd=place, env=variables, capture_output=True, text=True).stdout
    assert "4 pending, 1 delivered, 0 withdrawn, 1 reply (" in told
    assert "1 milestone open, " in told
    counts = {store["store"]: store["counts"] for store in result["stores"]}
    workspace = Workspace.discover(place)
    assert counts["inbox"] == {"pending": 4, "delivered": 1, "withdrawn": 0, "replies": 1}
    assert counts["comments"]["resolved"] >= 1
    assert counts["comments"]["files"] == len(workspace.room("comments").sidecar_paths())
    assert counts["milestones"]["milestones open"] == 1
    assert counts["milestones"]["operations"] == len(list(workspace.room("milestones").operations()))
    assert counts["tasks"]["backlog"] > 0
    workspace.close()
    files = {file["path"]: file for file in result["files"]}
    assert files[".git/holdfast/inbox.sqlite"]["version"] == 2
    assert result["bytes"] == sum(file["bytes"] for file in result["files"])
    assert all(file["lastWrite"] > "2026" for file in result["files"])
    subprocess.run(["git", "worktree", "add", "--quiet", "../other"], cwd=place, env=variables, check=True)
    beside = {store["store"]: store["counts"] for store in measured(tmp_path / "other", variables)["stores"]}
    assert {name: beside[name] for name in ("inbox", "milestones", "tasks")} == {
        name: counts[name] for name in ("inbox", "milestones", "tasks")
    }


def test_a_room_that_cannot_be_counted_does_not_stop_the_others(repository: Path) -> None:
    class Room:
        def __init__(self, failure: Exception | None = None) -> None:
            self.failure = failure

        def counts(self) -> dict[str, int]:
            if self.failure is not None:
                raise self.failure
            return {"things": 2}

    rooms = {"first": lambda: Room(Busy("Not now.", hint="Later.")), "second": Room}
    room = StoreRoom(Repository.discover(repository), dict, lambda: rooms)
    first, second = measure_stores(room, NoArguments()).stores
    assert (first.problem, first.counts) == ("Not now. Later.", {})
    assert (second.problem, second.counts) == (None, {"things": 2})


def test_a_server_says_what_it_served(repository: Path) -> None:
    with running_server(repository) as server:
        for _ in range(3):
            assert server.ask("GET", "/api/inbox/list_messages").status == 200
        assert server.ask("GET", "/api/inbox/list_messages?limit=x").status == 400
        assert server.ask("GET", "/api/stores/measure_stores", None, {"Authorization": "x"}).status == 401
        served = server.ask("GET", "/api/stores/measure_stores").json["server"]
    names = {one["name"]: one for one in served["names"]}
    assert (names["list_messages"]["requests"], names["list_messages"]["failed"]) == (4, 1)
    assert 0 < names["list_messages"]["median"] <= names["list_messages"]["percentile95"]
    assert (served["worker"], served["workers"]) == (0, 1)


def test_percentiles_are_of_the_latest_requests_and_memory_is_bounded() -> None:
    tally = ProcessStatistics()
    for number in range(MAX_DURATIONS * 2):
        tally.count("it", float(number), failed=number % 2 == 0)
    served: RequestStatistics = tally.by_name()["it"]
    assert (served.requests, served.failed, len(served.seconds)) == (
        MAX_DURATIONS * 2,
        MAX_DURATIONS,
        MAX_DURATIONS,
    )
    assert served.percentile(0.5) == MAX_DURATIONS * 1.5
    assert served.percentile(0.95) == MAX_DURATIONS * 1.95
