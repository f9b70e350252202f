"""A store that a newer Holdfast wrote is refused by name on every face, untouched, and the others go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.comments.sidecar.source import FORMAT_VERSION
from tests.conftest import RunHoldfast
from tests.faces.http.running import HOLDFAST, running_server
from tests.upgrades.stores import STORES, backups, content, make, opened
from tests.wire.client import wire_client

READS = {
    "inbox": ("inbox", "list", "list_messages"),
    "comments": ("comments", "list", "list_comments"),
    "tasks": ("tasks", "list", "taskpilot_list"),
}
WRITES = {
    "inbox": ("send", "--file", ".", "--comment", "Too late"),
    "comments": ("comments", "add", "a.py", "1", "Too late"),
    "tasks": ("tasks", "add", "Too late"),
}


@pytest.fixture(params=STORES)
def newer(request: pytest.FixtureRequest, repository: Path, run_holdfast: RunHoldfast) -> str:
    """The name of the store of three that a release to come has written, over one of today's."""
    (repository / "a.py").write_text("one\n")
    run_holdfast("comments", "add", "a.py", "1", "Kept", check=True)
    for name, store in STORES.items():
        if name != "comments":
            make(repository, name, len(store.migrations))
    name = str(request.param)
    path = repository / ".git/holdfast" / STORES[name].file
    before = content(path)
    opened(path, STORES[name], STORES[name].next_migrations).close()
    (backup,) = backups(path)
    assert content(backup) == before
    return name


def state(repository: Path) -> dict[str, bytes]:
    """Return the stores and the comment file, byte for byte."""
    kept = [repository / ".git/holdfast" / store.file for store in STORES.values()]
    return {path.name: path.read_bytes() for path in [*kept, repository / "a.py.comments"]}


def test_every_face_names_the_store_both_versions_and_the_next_step(
    repository: Path, run_holdfast: RunHoldfast, newer: str
):
    store = STORES[newer]
    known = len(store.migrations)
    refusal = (
        f"The store '{store.file}' was written by a newer Holdfast (format {known + 1}, known {known})."
        " Upgrade holdfast and try again. Nothing was changed."
    )
    before = state(repository)
    for arguments in (READS[newer][:2], WRITES[newer]):
        answer = run_holdfast(*arguments)
        assert (answer.returncode, answer.stdout) == (10, ""), arguments
        assert refusal in " ".join(answer.stderr.split()).replace("Hint: ", "")
    with wire_client([HOLDFAST, "serve"], cwd=repository) as client:
        client.initialize()
        answered = client.call(1, READS[newer][2])
        assert refusal in json.dumps(answered)
        assert "error" in answered or answered["result"]["isError"]
        for number, (name, (_, _, tool)) in enumerate(READS.items(), 2):
            if name != newer:
                assert not client.call(number, tool)["result"].get("isError"), tool
    with running_server(repository) as server:
        problem = server.ask("GET", f"/api/{newer}/{READS[newer][2]}")
        assert problem.status == 501
        assert refusal.partition(" Upgrade")[0] in problem.json["detail"]
    doctor = run_holdfast("doctor", "--json")
    findings = json.loads(doctor.stdout)["findings"]
    assert [one["severity"] for one in findings if "newer Holdfast" in one["message"]] == ["warning"]
    assert state(repository) == before


def test_the_doctor_names_backups_with_their_size(repository: Path, run_holdfast: RunHoldfast):
    path = make(repository, "tasks", 1)
    opened(path, STORES["tasks"]).close()
    (backup,) = backups(path)
    found = run_holdfast("doctor", check=True).stdout
    assert f".git/holdfast/{backup.name}: A backup of a store from before its upgrade" in found
    assert f"{backup.stat().st_size:,} bytes" in found


def test_a_comment_file_of_a_newer_format_keeps_its_version_and_what_is_not_understood(
    repository: Path, run_holdfast: RunHoldfast
):
    (repository / "a.py").write_text("one\n")
    run_holdfast("comments", "add", "a.py", "1", "Kept", check=True)
    path = repository / "a.py.comments"
    document = json.loads(path.read_text())
    assert document["version"] == FORMAT_VERSION
    document |= {"version": "9.0.0", "holograms": [1]}
    document["comments"][0]["mood"] = "blue"
    path.write_text(json.dumps(document))
    run_holdfast("comments", "add", "a.py", "1", "Another", check=True)
    after = json.loads(path.read_text())
    assert (after["version"], after["holograms"], len(after["comments"])) == ("9.0.0", [1], 2)
    assert after["comments"][0]["mood"] == "blue"


def test_an_export_of_a_newer_format_is_refused_and_nothing_is_restored(
    repository: Path, run_holdfast: RunHoldfast
):
    make(repository, "tasks", len(STORES["tasks"].migrations))
    exported = repository / "tasks.jsonl"
    exported.write_text(
        run_holdfast("tasks", "export", check=True).stdout.replace('"format":1', '"format":99', 1)
    )
    before = content(repository / ".git/holdfast/tasks.sqlite")
    answer = run_holdfast("tasks", "restore", "tasks.jsonl")
    assert answer.returncode == 2
    assert "Use the Holdfast that wrote it, or a newer one." in answer.stderr
    assert content(repository / ".git/holdfast/tasks.sqlite") == before
