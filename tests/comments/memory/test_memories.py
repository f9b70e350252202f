"""Memories: what they are about, what they say about their code, and what is said about them later."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from holdfast.comments.union.recovery import SidecarCheck
from holdfast.comments.union.three_way import merge_sidecar_bytes
from holdfast.kernel.errors import Conflict, Invalid, InvalidArguments, NotFound

SOURCE = """\
class Tokens:
    def limit(self, attempts):
        if attempts > 5:
            raise ValueError("too many attempts")
        return attempts


def login(user, password):
    return user, password
"""
PATH = "src/tokens.py"


@pytest.fixture
def noted(desk):
    desk.write(PATH, SOURCE)
    desk.commit("Tokens")
    return desk


def remember(desk, text: str, about: str | None = None, **more: Any) -> dict[str, Any]:
    given = {"text": text, **({} if about is None else {"about": about}), **more}
    memory: dict[str, Any] = desk.run("remember", **given).wire()["memory"]
    return memory


def recall(desk, **given: Any) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = desk.run("recall", **given).wire()["memories"]
    return memories


@pytest.mark.parametrize(
    ("about", "scope", "shown"),
    [
        (None, "repository", "the whole repository"),
        ("src", "folder", "src/"),
        (PATH, "file", PATH),
        (f"{PATH}:3", "lines", f"{PATH}:3"),
        (f"{PATH}:3-4", "lines", f"{PATH}:3-4"),
        (f"{PATH}:Tokens.limit", "symbol", f"{PATH}:2-5 Tokens.limit"),
        (f"{PATH}:login", "symbol", f"{PATH}:8-9 login"),
    ],
)
def test_a_memory_is_about_anything_from_a_line_to_the_repository(noted, about, scope, shown):
    memory = remember(noted, "Attempts are counted per hour", about)
    assert (memory["scope"], memory["about"], memory["state"]) == (scope, shown, "unchanged")
    [found] = recall(noted, words="attempts")
    assert (found["id"], found["text"]) == (memory["id"], "Attempts are counted per hour")
    place = ".holdfast" if scope in ("folder", "repository") else PATH
    assert memory["id"] in (noted.root / f"{place}.comments").read_text()


def test_no_folder_outside_the_work_tree_is_looked_at(noted):
    for about in ("/", "/tmp", "..", "../.."):
        with pytest.raises(NotFound):
            remember(noted, "x is y", about)
    place = noted.root / ".holdfast.comments"
    remember(noted, "Everything here is generated", "src")
    document = json.loads(place.read_bytes())
    document["comments"][0]["holdfastMemory"]["folder"] = "../.."
    place.write_text(json.dumps(document))
    assert recall(noted)[0]["about"] == "the whole repository"


def test_what_a_memory_cannot_be_about_is_named(noted):
    with pytest.raises(NotFound, match="called 'nowhere'"):
        remember(noted, "x is y", f"{PATH}:nowhere")
    noted.write("src/two.py", "class A:\n    def run(self): ...\nclass B:\n    def run(self): ...\n")
    with pytest.raises(Conflict, match="2 symbols") as refusal:
        remember(noted, "x is y", "src/two.py:run")
    assert "src/two.py:A.run" in str(refusal.value.hint)
    with pytest.raises(InvalidArguments):
        noted.run("remember")


def test_a_memory_says_what_became_of_its_code_until_it_is_confirmed(noted):
    name = remember(noted, "Five attempts, because of the audit", f"{PATH}:Tokens.limit")["id"]
    noted.write(PATH, "import os\n\n\n" + SOURCE.replace("> 5", "> 7"))
    [edited] = recall(noted, words="audit")
    assert (edited["state"], edited["confidence"], edited["about"]) == (
        "edited",
        "high",
        f"{PATH}:5-8 Tokens.limit",
    )
    assert edited["changes"] == ["-    if attempts > 5:", "+    if attempts > 7:"]
    confirmed = noted.run("confirm_memory", memoryId=name, author="Grace").wire()
    assert (confirmed["state"], confirmed["confirmed"]["by"]) == ("unchanged", "Grace")
    noted.write(PATH, SOURCE[SOURCE.index("def login") :])
    [gone] = recall(noted, words="audit")
    assert (gone["state"], gone["why"]) == ("gone", "symbol_deleted")
    with pytest.raises(Conflict, match="not known"):
        noted.run("confirm_memory", memoryId=name)
    (noted.root / PATH).unlink()
    assert recall(noted, words="audit")[0]["state"] == "gone"
    assert "(file deleted)" in noted.words("recall", words="audit")


def test_a_memory_about_a_folder_names_the_files_that_commits_changed(noted):
    name = remember(noted, "Everything here is generated", "src")["id"]
    noted.commit("Memories")  # they change no code
    assert recall(noted)[0]["state"] == "unchanged"
    noted.write(PATH, SOURCE + "# more\n")
    noted.commit("More")
    [edited] = recall(noted)
    assert (edited["state"], edited["changes"]) == ("edited", [f"~ {PATH}"])
    assert noted.run("confirm_memory", memoryId=name).wire()["state"] == "unchanged"
    shutil.rmtree(noted.root / "src")
    assert recall(noted)[0]["state"] == "gone"
    with pytest.raises(Conflict, match="is gone"):
        noted.run("confirm_memory", memoryId=name)


def test_a_correction_keeps_the_former_text_and_brings_a_retired_memory_back(noted):
    name = remember(noted, "Releases are cut on Tuesdays", author="Ada")["id"]
    retired = noted.run("retire_memory", memoryId=name, reason="No releases", author="Bob").wire()
    assert (retired["retired"]["by"], retired["retired"]["text"]) == ("Bob", "No releases")
    assert recall(noted) == []
    assert noted.run("recall").wire()["retired_left_out"] == 1
    assert recall(noted, retired=True, words="releases")[0]["id"] == name
    corrected = noted.run(
        "correct_memory", memoryId=name, text="Releases are cut on Fridays", author="Eve"
    ).wire()
    assert [(former["by"], former["text"]) for former in corrected["supersedes"]] == [
        ("Ada", "Releases are cut on Tuesdays")
    ]
    assert "retired" not in corrected
    [found] = recall(noted, words="fridays")
    assert (found["author"], found["text"]) == ("Eve", "Releases are cut on Fridays")
    with pytest.raises(NotFound):
        noted.run("retire_memory", memoryId="c_1", reason="None such")


def test_a_near_duplicate_names_the_memory_that_says_so_already(noted):
    first = remember(noted, "The cache in TokenStore is never flushed on shutdown", PATH)["id"]
    with pytest.raises(Conflict, match=first) as refusal:
        remember(noted, "The cache in TokenStore is never flushed at shutdown")
    assert "anyway" in str(refusal.value.hint)
    second = remember(noted, "The cache in TokenStore is never flushed at shutdown", anyway=True)["id"]
    other = remember(noted, "The cache of the parser is flushed hourly", PATH)["id"]
    assert len({first, second, other}) == 3


def test_memories_of_other_programs_are_imported_once(noted):
    noted.write("MEMORY.md", "# Build\n\nText.\n\n- Use `make`\n  and no IDE\n  - really\n* [x] Keep logs\n")
    noted.write(
        "beads.jsonl", '{"_type":"issue","id":"b-1"}\n{"_type":"memory","key":"jwt","value":"JWT only"}\n{\n'
    )
    assert noted.run("remember", **{"import": "MEMORY.md"}).wire() == {"written": 2, "known": []}
    assert noted.run("remember", **{"import": "MEMORY.md"}).wire()["written"] == 0
    assert noted.run("remember", **{"import": "beads.jsonl", "about": PATH}).wire()["written"] == 1
    texts = {memory["text"]: memory["about"] for memory in recall(noted)}
    assert texts == {
        "Build: Use `make`\nand no IDE\n- really": "the whole repository",
        "Build: Keep logs": "the whole repository",
        "jwt: JWT only": PATH,
    }
    with pytest.raises(Invalid, match="has no memories"):
        noted.run("remember", **{"import": PATH})


def test_two_branches_merge_to_the_union_of_what_they_remember(noted):
    place = noted.root / ".holdfast.comments"
    name = remember(noted, "Releases are cut on Tuesdays")["id"]
    base = place.read_bytes()
    noted.run("confirm_memory", memoryId=name, author="Ada")
    remember(noted, "The staging database is reset at night")
    ours = place.read_bytes()
    noted.git("checkout", "--quiet", "HEAD")
    place.write_bytes(base)
    noted.run("confirm_memory", memoryId=name, author="Bob")
    theirs = json.loads(place.read_bytes())
    theirs["comments"] = [item for item in theirs["comments"] if item["id"] == name]
    merged = json.loads(merge_sidecar_bytes(base, ours, json.dumps(theirs).encode()))
    assert len(merged["comments"]) == 2
    assert [step["by"] for step in merged["comments"][0]["holdfastMemory"]["confirmed"]] == ["Ada", "Bob"]


def test_a_memory_reaches_another_clone_with_its_verdict(noted, open_comments, tmp_path):
    remember(noted, "Five attempts, because of the audit", f"{PATH}:Tokens.limit")
    noted.commit("Remember")
    clone = tmp_path / "clone"
    noted.git("clone", "--quiet", ".", str(clone))
    other = open_comments(clone)
    assert recall(other)[0]["state"] == "unchanged"
    other.write(PATH, SOURCE.replace("> 5", "> 7"))
    assert recall(other)[0]["state"] == "edited"


def test_a_damaged_document_is_reported_and_the_others_are_recalled(noted):
    remember(noted, "Releases are cut on Tuesdays")
    remember(noted, "Attempts are limited", PATH)
    place = noted.root / ".holdfast.comments"
    place.write_bytes(place.read_bytes()[:-20])
    answer = noted.run("recall").wire()
    assert ([memory["text"] for memory in answer["memories"]], answer["damaged"]) == (
        ["Attempts are limited"],
        [".holdfast"],
    )
    assert [finding.path for finding in SidecarCheck(noted.room).examine(fix=False)] == [".holdfast.comments"]
    with pytest.raises(Exception, match="corrupted"):
        remember(noted, "This one is not written over it")


def test_comments_on_code_stay_what_they_are(noted):
    remember(noted, "About the folder", "src")
    name = remember(noted, "About the login", f"{PATH}:login")["id"]
    noted.add(PATH, 3, "NOTE: a plain comment")
    assert [item["text"] for item in recall(noted, path=PATH)] == ["About the login", "About the folder"]
    assert {item["text"] for item in noted.show(PATH)} == {"About the login", "NOTE: a plain comment"}
    listed = noted.run("list_comments").wire()
    assert listed["total"] == 2
    assert name in {item["id"] for item in listed["comments"]}
    assert noted.run("list_orphans").wire()["total"] == 0
