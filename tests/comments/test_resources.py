"""Comments by address."""

from __future__ import annotations

import json

import pytest

from holdfast import toolsets
from holdfast.comments.anchors.moved_code import Moves
from holdfast.comments.errors import FileAccessDenied, InvalidFilePath, SourceNotFound
from holdfast.comments.resources import comments_uri
from holdfast.comments.sidecar.document import Sidecar
from holdfast.kernel.errors import TooLarge, UnknownResource
from tests.comments.conftest import Desk
from tests.comments.making import comment, document, write_sidecar
from tests.comments.sources import AUTH, LIMIT, PATH, STORED
from tests.comments.tools.test_tools import tree_of

comments = toolsets.toolset("comments")

ALL = "comment://workspace/all"


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.write("größe/a b.py", "one = 1\ntwo = 2\n")
    desk.add(PATH, STORED, "first", tag="TODO")
    desk.add(PATH, LIMIT, "second", tag="FIXME", aiMeta={"model": "claude", "confidence": 0.5})
    desk.add("größe/a b.py", 2, "third \u202ehidden", tag="TODO")
    return desk


@pytest.mark.requirement("comments-67")
def test_everything_is_listed_by_file(filled: Desk) -> None:
    found = filled.read(ALL)
    assert {file["filePath"]: len(file["comments"]) for file in found["files"]} == {
        PATH: 2,
        "größe/a b.py": 1,
    }
    assert (found["totalComments"], found["totalFiles"]) == (3, 2)


@pytest.mark.requirement("comments-69")
def test_a_files_comments_have_an_address_of_their_own(filled: Desk) -> None:
    found = filled.read(f"comment://workspace/{PATH}.comments")
    assert [comment["text"] for comment in found["comments"]] == ["first", "second"]
    assert len(found["ghostMarkers"]) == 2
    filled.write(PATH, "// new\n" + AUTH)
    found = filled.read(f"comment://workspace/{PATH}.comments")
    assert [comment["line"] for comment in found["comments"]] == [STORED + 1, LIMIT + 1]


def test_a_file_without_comments_has_an_empty_document(desk: Desk) -> None:
    assert desk.read(f"comment://workspace/{PATH}.comments")["comments"] == []


@pytest.mark.requirement("comments-70")
def test_a_tag_has_exactly_its_comments(filled: Desk) -> None:
    found = filled.read("comment://workspace/tags/TODO")
    assert (found["tag"], found["totalCount"]) == ("TODO", 2)
    assert [item["comment"]["text"] for item in found["comments"]] == ["third hidden", "first"] or [
        item["comment"]["text"] for item in found["comments"]
    ] == ["first", "third hidden"]
    assert filled.read("comment://workspace/tags/STAR")["comments"] == []


@pytest.mark.requirement("comments-71")
def test_orphans_are_listed_with_their_reason(filled: Desk) -> None:
    assert filled.read("comment://workspace/orphaned") == {"orphanedComments": [], "totalCount": 0}
    filled.write(PATH, AUTH.replace("const LIMIT = 5;\n", ""))
    found = filled.read("comment://workspace/orphaned")
    (orphan,) = found["orphanedComments"]
    assert orphan["comment"]["text"] == "second"
    assert orphan["reason"]
    assert found["totalCount"] == 1


@pytest.mark.requirement("comments-72")
def test_comments_of_models_are_listed_with_the_models(filled: Desk) -> None:
    found = filled.read("comment://workspace/ai-enriched")
    assert [item["comment"]["text"] for item in found["comments"]] == ["second"]
    assert (found["totalCount"], found["models"]) == (1, ["claude"])


@pytest.mark.requirement("comments-73")
@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("comment://workspace/tags/NONSENSE", UnknownResource),
        ("comment://workspace/missing.py.comments", SourceNotFound),
        ("comment://workspace/../x.py.comments", InvalidFilePath),
        ("comment://workspace/.git/config.comments", FileAccessDenied),
    ],
)
def test_an_address_that_nothing_has_is_an_error(filled: Desk, uri: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        filled.read(uri)


def test_a_file_that_is_called_like_a_tag_is_a_file(desk: Desk) -> None:
    desk.write("tags/a.py", "one = 1\n")
    desk.add("tags/a.py", 1, "mine")
    found = desk.read("comment://workspace/tags/a.py.comments")
    assert [comment["text"] for comment in found["comments"]] == ["mine"]


@pytest.mark.requirement("comments-66")
def test_reading_changes_no_file(filled: Desk) -> None:
    filled.write(PATH, "// new\n" + AUTH)
    before = tree_of(filled.root)
    addresses = [ALL, "comment://workspace/orphaned", "comment://workspace/ai-enriched"]
    for uri in [*addresses, "comment://workspace/tags/TODO", f"comment://workspace/{PATH}.comments"]:
        filled.read(uri)
    assert tree_of(filled.root) == before


def test_the_list_names_every_file_with_comments(filled: Desk) -> None:
    (family,) = (resource for resource in comments.resources if resource.members is not None)
    listed = list(family.members(filled.room)) if family.members is not None else []
    assert {item.uri for item in listed} == {comments_uri(PATH), comments_uri("größe/a b.py")}
    assert comments_uri("größe/a b.py") == "comment://workspace/gr%C3%B6%C3%9Fe/a%20b.py.comments"


def test_keys_of_other_programs_are_shown_and_what_is_hidden_is_not(filled: Desk) -> None:
    document = filled.sidecar(PATH)
    document["comments"][0]["x-later"] = {"deep": ["va\u200blue"]}
    filled.write(f"{PATH}.comments", json.dumps(document))
    found = filled.read(f"comment://workspace/{PATH}.comments")
    assert found["comments"][0]["x-later"] == {"deep": ["value"]}


@pytest.mark.parametrize("address", ["all", "tags/TODO", "ai-enriched"])
def test_more_than_an_answer_holds_is_refused_before_it_is_built(
    desk: Desk, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, count = "x" * 10_000, 24
    for number in range(count):
        (desk.root / f"f{number}.txt").write_text("one\n")
        notes = [comment(100 * number + one, 1, text, aiMeta={"model": "m"}) for one in range(100)]
        write_sidecar(desk.root, f"f{number}.txt", document(f"f{number}.txt", notes, []))
    loaded: list[str] = []
    load = desk.room.load_owned

    def counting(path: str, moves: Moves | None) -> Sidecar:
        loaded.append(path)
        return load(path, moves)

    monkeypatch.setattr(desk.room, "load_owned", counting)
    with pytest.raises(TooLarge, match="requested comments"):
        desk.read(f"comment://workspace/{address}")
    # Ten and a half files are as much as an answer holds; the others were not even looked at.
    assert 10 <= len(loaded) <= 12
