"""A workspace in a shared database belongs to clones in which a person joined it, whoever commits its id."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.registry import Selection
from holdfast.storage.git.repository import Repository
from holdfast.tasks.errors import NotJoined
from holdfast.tasks.store.workspace import join, write_marker
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests import forked
from tests.faces.http.running import HOLDFAST
from tests.tasks.postgres import Server

pytestmark = pytest.mark.postgres


@pytest.fixture
def address(postgres_server: Server) -> str:
    return postgres_server.new_database()


@pytest.fixture
def victim(repository: Path, address: str) -> str:
    """The id of a workspace with a task that others are not meant to see."""
    created = done(repository, address, "taskpilot_init")["workspace"]["id"]
    done(repository, address, "taskpilot_add", title="The secret plan")
    assert isinstance(created, str)
    return created


@pytest.fixture
def stranger(tmp_path: Path, victim: str) -> Path:
    """A repository that commits the id of somebody else's workspace."""
    folder = tmp_path / "stranger"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    write_marker(Repository.at(folder), victim)
    return folder


def done(folder: Path, address: str, name: str, /, **arguments: Any) -> dict[str, Any]:
    workspace = Workspace.discover(folder, address)
    dispatcher = Dispatcher(full_registry().select(Selection(includes_commands=True)), workspace.room)
    try:
        return dispatcher.run(dispatcher.registry.operation(name), arguments, Call()).wire()
    finally:
        dispatcher.close()
        workspace.close()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("taskpilot_list", {}),
        ("taskpilot_show", {"task_id": "TP-1"}),
        ("taskpilot_add", {"title": "Planted"}),
        ("taskpilot_update", {"task_id": "TP-1", "set": {"title": "Planted"}}),
        ("taskpilot_init", {"done_gate": "none"}),
        ("taskpilot_start", {"workspace_path": "."}),
        ("taskpilot_export", {}),
    ],
)
def test_an_id_that_a_repository_commits_opens_nothing(
    stranger: Path, repository: Path, address: str, name: str, arguments: dict[str, Any]
) -> None:
    before = done(repository, address, "taskpilot_export")["text"]
    with pytest.raises(NotJoined, match="not joined") as refused:
        done(stranger, address, name, **arguments)
    assert "holdfast tasks join" in refused.value.sentence()
    assert done(repository, address, "taskpilot_export")["text"] == before


def test_an_export_under_that_id_is_not_taken_in(stranger: Path, repository: Path, address: str) -> None:
    text = done(repository, address, "taskpilot_export")["text"]
    (stranger / "tasks.jsonl").write_text(text.replace("The secret plan", "Planted"))
    for marked in (True, False):
        if not marked:
            (stranger / ".task/workspace.json").unlink()
        with pytest.raises(NotJoined):
            done(stranger, address, "taskpilot_restore", file="tasks.jsonl")
    assert done(repository, address, "taskpilot_export")["text"] == text


def test_without_the_deed_being_asked_for_the_id_would_open_everything(
    stranger: Path, address: str, victim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Repository, "has_consent_to", lambda *_: True)
    assert "secret" in str(done(stranger, address, "taskpilot_list", query="secret"))


def test_a_person_joins_a_clone_once_and_only_for_the_id_they_name(
    stranger: Path, repository: Path, address: str, victim: str
) -> None:
    def join_as_a_person(identity: str) -> int:
        command = [HOLDFAST, "tasks", "join", identity, "--database", address]
        return forked.run(command, cwd=stranger, env=os.environ, capture_output=True).returncode

    assert join_as_a_person("kelp-000000") != 0
    with pytest.raises(NotJoined):
        done(stranger, address, "taskpilot_list")
    assert join_as_a_person(victim) == 0
    assert "secret" in str(done(stranger, address, "taskpilot_list"))
    assert not (stranger / ".git/holdfast/agreed").exists(), "what comes with a repository cannot say it"

    other = done(repository.parent / "stranger", address, "taskpilot_status")["workspace"]["id"]
    assert other == victim
    third = repository.parent / "third"
    subprocess.run(["git", "init", "--quiet", str(third)], check=True)
    third_id = done(third, address, "taskpilot_init")["workspace"]["id"]
    write_marker(Repository.at(stranger), third_id)
    with pytest.raises(NotJoined):
        done(stranger, address, "taskpilot_list")


def test_no_server_lets_a_program_join(repository: Path) -> None:
    with pytest.raises(HoldfastError):
        full_registry().operation("taskpilot_join")


def test_what_is_not_in_the_database_is_not_there_for_who_joined_either(
    stranger: Path, postgres_server: Server, victim: str
) -> None:
    join(Repository.at(stranger), victim)
    with pytest.raises(NotFound, match="not in this database"):
        done(stranger, postgres_server.new_database(), "taskpilot_list")


def test_a_database_without_an_encoding_keeps_texts(
    repository: Path, postgres_server: Server, monkeypatch: pytest.MonkeyPatch, run_holdfast
) -> None:
    options = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    monkeypatch.setenv("HOLDFAST_DATABASE", postgres_server.new_database(options))
    for arguments in (("init",), ("add", "Größe")):
        assert run_holdfast("tasks", *arguments, cwd=repository).returncode == 0
    assert "Größe" in run_holdfast("tasks", "list", cwd=repository).stdout
