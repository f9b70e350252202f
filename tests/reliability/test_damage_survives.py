"""Every page of every database damaged in turn: what is derived is built anew, the rest is named and kept."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Corrupted, HoldfastError
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.contract.prepared import ISSUES, prepare
from tests.reliability.evidence import Tally

PAGE = 4096
REGISTRY = full_registry()
OPERATIONS = {operation.name: operation for operation in REGISTRY.operations}
COMMENT = {"filePath": "src/main.py", "line": 2, "text": "Why?", "tag": "QUESTION"}
FROM_DERIVED: dict[str, dict[str, Any]] = {
    "git_mile.list": {"entity": "issue"},
    "git_mile.show": {"entity": "issue", "id": ISSUES[0]},
    "git_mile.log": {},
    "git_mile.ready": {},
    "git_mile.export": {"format": "operations"},
    "search_comments": {"query": "e"},
    "list_comments": {},
    "get_file_comments": {"filePath": "src/main.py"},
}
FROM_PRIMARY: dict[str, dict[str, Any]] = {
    "taskpilot_list": {},
    "taskpilot_status": {},
    "taskpilot_audit": {},
    "list_messages": {},
}

Answers = dict[str, str | HoldfastError]


def asked(repository: Path, questions: dict[str, dict[str, Any]]) -> Answers:
    """Ask everything of rooms that are opened for it, as a new process would."""
    answers: Answers = {}
    with (
        closing(Workspace.discover(repository)) as workspace,
        closing(Dispatcher(REGISTRY, workspace.room)) as dispatcher,
    ):
        for name, arguments in questions.items():
            try:
                result = dispatcher.run(OPERATIONS[name], arguments, dispatcher.new_call())
                answers[name] = result.model_dump_json()
            except HoldfastError as failure:
                answers[name] = failure
    return answers


class Damaged:
    """A repository with something in every room, one page of one of whose databases is damaged at a time."""

    def __init__(self, folder: Path) -> None:
        self.repository = prepare(folder / "repository", folder / "home")
        # Whoever reads is the author of a message that has none.
        subprocess.run(["git", "config", "user.name", "Ada"], cwd=self.repository, check=True)
        asked(self.repository, {"add_comment": COMMENT})
        # What is younger than its clock can tell is not kept in caches.
        for place in self.repository.rglob("*"):
            os.utime(place, (time.time() - 60,) * 2, follow_symlinks=False)
        asked(self.repository, FROM_DERIVED)
        self.answers = asked(self.repository, FROM_DERIVED | FROM_PRIMARY)
        self.store = self.repository / ".git/holdfast"
        self.kept = folder / "kept"
        shutil.copytree(self.store, self.kept)

    def pages(self, pattern: str) -> Iterator[tuple[Path, bytes]]:
        """Damage one page after the other, and yield the file with its damaged bytes each time."""
        bytes_for = random.Random(5)
        for sound in sorted(self.kept.glob(pattern)):
            for start in range(0, sound.stat().st_size, PAGE):
                for page in (bytes_for.randbytes(PAGE), bytes(PAGE)):
                    content = sound.read_bytes()
                    yield self.put(sound.name, content[:start] + page + content[start + PAGE :])

    def put(self, name: str, content: bytes) -> tuple[Path, bytes]:
        """Give one of the files another content, and all others the one that they had."""
        shutil.rmtree(self.store)
        shutil.copytree(self.kept, self.store)
        (self.store / name).write_bytes(content)
        return self.store / name, content


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Damaged:
    return Damaged(tmp_path_factory.mktemp("damaged"))


@pytest.mark.requirement("reliability-C3")
@pytest.mark.evidence("C3", "derived indexes", "each page overwritten, twice", every=True)
def test_a_derived_database_damaged_on_any_page_is_built_anew_by_the_next_call(
    damaged: Damaged, home: Path, tally: Tally
) -> None:
    wrong, count = [], 0
    for file, _ in damaged.pages("*-*.sqlite"):
        answers = asked(damaged.repository, FROM_DERIVED)
        wrong += [(file.name, name) for name in answers if answers[name] != damaged.answers[name]]
        count += 1
    tally(count, wrong)
    assert wrong == []
    assert count >= 40


@pytest.mark.evidence("C3", "derived indexes", control="keeps a damaged index")
def test_control_an_index_that_is_not_discarded_stays_damaged(
    damaged: Damaged, home: Path, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    monkeypatch.setattr("holdfast.milestones.index.index.MAX_BUILDS", 1)
    wrong = [
        name
        for _ in damaged.pages("milestones-*.sqlite")
        for name, answer in asked(damaged.repository, {"git_mile.list": {"entity": "issue"}}).items()
        if answer != damaged.answers[name]
    ]
    tally(len(list(damaged.pages("milestones-*.sqlite"))), wrong)
    assert wrong


def test_the_doctor_lets_a_damaged_index_be_built_anew(damaged: Damaged, home: Path) -> None:
    pages = damaged.pages("milestones-*.sqlite")
    found = []
    for _ in pages:
        with closing(Workspace.discover(damaged.repository)) as workspace:
            found += workspace.room("milestones").check()
            assert workspace.room("milestones").check() == []
    assert any("The index is damaged" in finding.text for finding in found)


@pytest.mark.requirement("reliability-C3")
@pytest.mark.evidence("C3", "tasks in sqlite", "each page overwritten, twice", every=True)
@pytest.mark.evidence("C3", "inbox", "each page overwritten, twice", every=True)
def test_a_store_damaged_on_any_page_is_named_and_kept_and_the_doctor_examines_it(
    damaged: Damaged, home: Path
) -> None:
    kinds = set()
    for file, content in damaged.pages("[it]*[a-z].sqlite"):
        for name, answer in asked(damaged.repository, {"check_stores": {}} | FROM_PRIMARY).items():
            kinds.add(type(answer))
            assert isinstance(answer, str | Corrupted), (file.name, name)
            assert name != "check_stores" or isinstance(answer, str)
        assert file.read_bytes() == content
    assert kinds == {str, Corrupted}


@pytest.mark.requirement("reliability-C3")
@pytest.mark.evidence(
    "C3", "comments", "each page of what is kept beside them overwritten, twice", every=True
)
def test_damage_of_what_is_kept_beside_comments_keeps_nobody_from_reading_and_writing_them(
    damaged: Damaged, home: Path
) -> None:
    questions = {name: FROM_DERIVED[name] for name in ("get_file_comments", "list_comments")}
    for file, content in damaged.pages("comments.sqlite"):
        shutil.rmtree(damaged.store / "comment-places.index", ignore_errors=True)
        answers = asked(damaged.repository, questions)
        assert answers == {name: damaged.answers[name] for name in questions}
        if not file.exists():
            [kept] = (path for path in file.parent.glob("comments.sqlite.damaged-*") if path.is_file())
            assert kept.read_bytes() == content


@pytest.mark.parametrize("harm", ["emptied", "missing", "something else", "a folder", "a link"])
@pytest.mark.evidence("C3", "comments", "what is kept beside them: {harm}", every=True)
def test_what_is_kept_beside_comments_is_begun_anew_when_it_is_gone(
    damaged: Damaged, home: Path, harm: str
) -> None:
    file, _ = damaged.put("comments.sqlite", b"not a database " * 600 if harm == "something else" else b"")
    if harm not in ("emptied", "something else"):
        file.unlink()
    if harm == "a folder":
        file.mkdir()
    elif harm == "a link":
        file.symlink_to("elsewhere")
    told = str(asked(damaged.repository, {"check_stores": {}})["check_stores"])
    assert "the comments themselves are in their files" in told
    question = {"get_file_comments": {"filePath": "src/main.py"}}
    assert asked(damaged.repository, question)["get_file_comments"] == damaged.answers["get_file_comments"]
    sidecar = damaged.repository / "src/main.py.comments"
    before = sidecar.read_bytes()
    try:
        added = asked(damaged.repository, {"add_comment": COMMENT, "check_stores": {}})
        assert isinstance(added["add_comment"], str)
        assert file.stat().st_size > 0
        was_kept = harm != "missing"
        assert ("This is a damaged store, which was replaced" in str(added["check_stores"])) == was_kept
    finally:
        sidecar.write_bytes(before)


SCHEMA_ROW = b"tabletasktask"


def damage_the_schema(damaged: Damaged) -> None:
    """Let the row of a table in the schema have a name that is no text, and SQL that is none."""
    content = (damaged.kept / "tasks.sqlite").read_bytes()
    assert SCHEMA_ROW in content
    content = content.replace(SCHEMA_ROW, b"table\xff\xfe\xfd\xfctask").replace(
        b"CREATE TABLE task ", b"\xff" * 18
    )
    damaged.put("tasks.sqlite", content)


@pytest.mark.evidence("C3", "tasks in sqlite", "a schema that is no text", every=True)
def test_a_schema_that_is_no_text_is_a_damaged_store_to_every_reader_and_to_the_doctor(
    damaged: Damaged, home: Path
) -> None:
    damage_the_schema(damaged)
    answers = asked(damaged.repository, {"check_stores": {}} | FROM_PRIMARY)
    assert isinstance(answers["taskpilot_list"], Corrupted)
    assert "tasks.sqlite' is damaged" in str(answers["check_stores"])
    assert answers["list_messages"] == damaged.answers["list_messages"]


@pytest.mark.evidence("C3", "tasks in sqlite", control="no answer for a schema that is no text")
def test_control_without_an_answer_for_it_a_schema_that_is_no_text_is_an_internal_error(
    damaged: Damaged, home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module in ("sqlite_errors", "sqlite"):
        monkeypatch.setattr(f"holdfast.storage.sql.{module}.SQLITE_ERRORS", sqlite3.Error)
    damage_the_schema(damaged)
    answers = asked(damaged.repository, {"check_stores": {}, "taskpilot_list": {}})
    assert not isinstance(answers["taskpilot_list"], Corrupted | str)
    assert isinstance(answers["check_stores"], str), "the doctor itself goes on all the same"
    assert "UnicodeDecodeError" in caplog.text
