from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.clients.recording import HOLDFAST
from tests.clients.test_python_sdk import client_of
from tests.conftest import RunHoldfast
from tests.faces.http.running import serving
from tests.waiting import wait_until

COMMAND = re.compile(r"^  (holdfast .*?)(?:  |$)", re.MULTILINE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The sample project, made in an empty home where git knows nobody, and what was said about it."""
    place = tmp_path_factory.mktemp("demo")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "HOLDFAST_"))}
    alone = kept | {"HOME": str(place / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
    (place / "home").mkdir()
    command = [HOLDFAST, "demo", "--no-serve"]
    said = forked.run(command, cwd=place, env=alone, capture_output=True, text=True, check=True).stdout
    assert sorted(path.name for path in place.iterdir()) == ["holdfast-demo", "home"]
    assert list((place / "home").iterdir()) == []
    return place / "holdfast-demo", said


def test_history_has_several_people_and_weeks(made: tuple[Path, str]) -> None:
    command = ["git", "log", "--format=%an %at"]
    log = subprocess.run(command, cwd=made[0], capture_output=True, text=True, check=True).stdout
    people, times = zip(*(line.split() for line in log.splitlines()), strict=True)
    assert set(people) == {"Ada", "Grace", "Linus"}
    assert int(times[0]) - int(times[-1]) > 60 * 86_400
    status = subprocess.run(["git", "status", "--short"], cwd=made[0], capture_output=True, text=True)
    assert status.stdout.splitlines() == [" M src/tidepool/limits.py", " M src/tidepool/store.py"]


def test_every_command_it_suggests_has_something_to_show(made: tuple[Path, str], home: Path) -> None:
    shown = {}
    for line in COMMAND.findall(made[1]):
        arguments = line.split()[1:] + (["--dry-run"] if " install " in line else [])
        done = forked.run([HOLDFAST, *arguments], cwd=made[0], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), line
        shown[line.split()[1]] = done.stdout
    assert set(shown) == {"comments", "tasks", "milestones", "analyze", "install"}
    assert "orphaned" in shown["comments"]
    assert "perhaps src/tidepool/store.py:" in shown["comments"]
    assert "A power cut loses the newest pool" in shown["tasks"]
    assert "route" in shown["analyze"]


def test_a_client_finds_all_of_it(made: tuple[Path, str], home: Path) -> None:
    async def asked() -> dict[str, Any]:
        async with client_of([HOLDFAST, "serve"], made[0], "auto") as client:
            given = {name: {} for name in ("list_comments", "taskpilot_list", "list_messages")}
            given["git_mile_list"] = {"entity": "issue"}
            return {
                name: (await client.call_tool(name, arguments)).structured_content
                for name, arguments in given.items()
            }

    found = asyncio.run(asked())
    lines = {(item["filePath"], item["line"]) for item in found["list_comments"]["comments"]}
    assert ("src/tidepool/store.py", 21) in lines  # written on line 22, before one above it was deleted
    statuses = {task["status"] for task in found["taskpilot_list"]["tasks"]}
    assert statuses == {"backlog", "in-progress", "blocked", "review", "done", "dropped"}
    comments = {item["title"]: item["stats"]["comment_count"] for item in found["git_mile_list"]["items"]}
    assert comments["A power cut loses the newest pool"] == 2
    states = [message["state"] for message in found["list_messages"]["messages"]]
    assert sorted(states) == ["delivered", "delivered", "pending"]


def test_a_folder_with_something_in_it_is_left_alone(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").write_text("years")
    for name in ("own", "own/thesis.txt"):
        refused = run_holdfast("demo", name, "--no-serve", cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (4, "")
        assert f'"{name}" already exists' in refused.stderr
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["thesis.txt"]


def test_a_team_gets_none_of_its_tasks(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    shared = os.environ | {"HOLDFAST_DATABASE": "postgresql://team@127.0.0.1:1/tasks"}
    refused = run_holdfast("demo", "demo", "--no-serve", cwd=tmp_path, env=shared)
    assert (refused.returncode, (tmp_path / "demo").exists()) == (4, False)
    assert "HOLDFAST_DATABASE is set" in refused.stderr


@pytest.mark.parametrize(("sent", "left"), [(signal.SIGINT, 0), (signal.SIGKILL, 1)])
def test_half_a_demonstration_never_has_its_name(home: Path, tmp_path: Path, sent: int, left: int) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = forked.Popen([HOLDFAST, "demo", "demo", "--no-serve"], cwd=place, stdout=subprocess.DEVNULL)
    while not list(place.glob(".demo.*/.git/refs/heads/main")):
        assert process.poll() is None, "it was made before it could be interrupted"
        time.sleep(0.001)
    process.send_signal(sent)
    process.wait(60)
    assert len(list(place.iterdir())) == len(list(place.glob(".demo.*.holdfast-tmp"))) == left


def test_a_scripted_agent_answers_the_waiting_remark_and_new_ones(
    run_holdfast: RunHoldfast, home: Path, tmp_path: Path
) -> None:
    project = tmp_path / "demo"
    command = ["demo", "demo", "--http", "127.0.0.1:0", "--no-browser", "--live"]
    with serving(command, tmp_path, project):

        def messages() -> list[dict[str, Any]]:
            listed = run_holdfast("inbox", "list", "--json", cwd=project, check=True)
            found: list[dict[str, Any]] = json.loads(listed.stdout)["messages"]
            return found

        def is_answered(comment: str) -> bool:
            return any(message["comment"] == comment and message["replies"] for message in messages())

        wait_until(lambda: is_answered("Say how many writers."))
        assert "up to a hundred writers" in (project / "README.md").read_text()
        run_holdfast("send", "--file", "src/tidepool/store.py", "--comment", "Why?", cwd=project, check=True)
        wait_until(lambda: is_answered("Why?"))
        (asked,) = (message for message in messages() if message["comment"] == "Why?")
        shown = run_holdfast("inbox", "show", asked["id"], cwd=project, check=True).stdout
        assert "scripted-agent" in shown
        assert "I am a script" in shown


def test_a_scripted_agent_needs_a_page(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    refused = run_holdfast("demo", "demo", "--live", "--no-serve", cwd=tmp_path)
    assert (refused.returncode, (tmp_path / "demo").exists()) == (2, False)
    assert "--no-serve" in refused.stderr
