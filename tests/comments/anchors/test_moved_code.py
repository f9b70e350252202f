"""Comments follow files that were renamed, moved, split or edited on the way, also where nobody told git."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.comments.sidecar.files import SidecarFiles
from holdfast.kernel.errors import NotFound
from holdfast.neighbours.comments import CommentsNeighbour
from holdfast.tasks.neighbours import RemarkQuery
from tests.comments.conftest import Desk
from tests.comments.making import annotate, comment
from tests.wire.client import wire_client

NETS = '''\
"""Nets and how they are mended."""

import os


def knot_count(net):
    """Return how many knots a net has."""
    rows = net.rows * 2
    return rows + net.columns


def mend(net, twine):
    """Mend a net with twine."""
    for hole in net.holes:
        twine.cut(hole.width)
        hole.close()
    return net
'''
BOATS = '''\
"""Boats, which have nothing to do with nets."""


def paint(boat, colour):
    """Paint a boat."""
    boat.hull.colour = colour
    boat.dry(hours=12)
    return boat


def launch(boat):
    """Let a boat down the slip."""
    boat.slip.release()
'''


@pytest.fixture
def shore(repository: Path, open_comments: Callable[..., Desk]) -> Desk:
    """A repository with a committed file that has two comments, and a file without."""
    desk = open_comments(repository)
    desk.write("src/nets.py", NETS)
    desk.write("src/boats.py", BOATS)
    desk.commit("Begin")
    desk.add("src/nets.py", 8, "TODO: count twice")
    desk.add("src/nets.py", 14, "NOTE: cut long", tag="NOTE")
    desk.commit("Annotate")
    return desk


def moved_with_git(desk: Desk) -> None:
    desk.git("mv", "src/nets.py", "src/mesh.py")


def moved_and_committed(desk: Desk) -> None:
    moved_with_git(desk)
    desk.commit("Rename")


def moved_without_git(desk: Desk) -> None:
    os.rename(desk.root / "src/nets.py", desk.root / "src/mesh.py")


def moved_and_edited(desk: Desk) -> None:
    moved_with_git(desk)
    text = NETS.replace("import os\n", "import os\nimport sys\n").replace(
        "twine.cut(hole.width)", "twine.cut(9)"
    )
    desk.write("src/mesh.py", text)
    desk.commit("Rename and edit")


def moved_twice(desk: Desk) -> None:
    desk.git("mv", "src/nets.py", "src/gear.py")
    desk.commit("Rename")
    desk.git("mv", "src/gear.py", "src/mesh.py")
    desk.commit("Rename again")


def moved_with_its_sidecar(desk: Desk) -> None:
    moved_with_git(desk)
    desk.git("mv", "src/nets.py.comments", "src/mesh.py.comments")
    desk.commit("Rename both")


MOVES = [
    moved_with_git,
    moved_and_committed,
    moved_without_git,
    moved_and_edited,
    moved_twice,
    moved_with_its_sidecar,
]
any_move = pytest.mark.parametrize("move", MOVES)
FOLLOWED = MOVES[:-1]


def said(found: list[dict[str, Any]]) -> dict[str, tuple[int, bool]]:
    return {one["text"]: (one["line"], one["orphaned"]) for one in found}


def places(desk: Desk) -> list[str]:
    """Return where search finds all comments."""
    found = desk.run("list_comments").wire()["comments"]
    return sorted(f"{one['filePath']}:{one['line']}" for one in found)


def files(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((root / "src").iterdir())}


@any_move
def test_a_renamed_file_is_read_with_its_comments_and_nothing_is_written(
    shore: Desk, move: Callable[[Desk], None]
) -> None:
    move(shore)
    before = files(shore.root)
    down = 1 if move is moved_and_edited else 0
    expected = [f"src/mesh.py:{14 + down}", f"src/mesh.py:{8 + down}"]
    shown = said(shore.show("src/mesh.py"))
    assert {line for line, _ in shown.values()} == {8 + down, 14 + down}
    assert not any(orphaned for _, orphaned in shown.values())
    assert places(shore) == expected
    everything = shore.read("comment://workspace/all")
    assert [(one["filePath"], len(one["comments"])) for one in everything["files"]] == [("src/mesh.py", 2)]
    assert len(shore.read("comment://workspace/src/mesh.py.comments")["comments"]) == 2
    assert shore.read("comment://workspace/orphaned")["totalCount"] == 0
    assert shore.run("list_orphans").wire()["total"] == 0
    exported = shore.run("export_comments", format="jsonl").wire()
    assert exported["text"].count('"filePath": "src/mesh.py"') == 2
    assert "nets.py" not in exported["text"]
    assert files(shore.root) == before, "reading settles nothing"


@pytest.mark.parametrize("move", FOLLOWED)
def test_the_next_write_takes_the_comments_to_their_file_for_good(
    shore: Desk, move: Callable[[Desk], None]
) -> None:
    move(shore)
    names = {one["text"]: one["id"] for one in shore.show("src/mesh.py")}
    shore.run("edit_comment", filePath="src/mesh.py", commentId=names["TODO: count twice"], text="Thrice")
    assert not (shore.root / "src/nets.py.comments").exists()
    assert sorted(one["text"] for one in shore.sidecar("src/mesh.py")["comments"]) == [
        "NOTE: cut long",
        "Thrice",
    ]
    assert set(said(shore.show("src/mesh.py"))) == {"Thrice", "NOTE: cut long"}
    assert len(places(shore)) == 2


@pytest.mark.parametrize("move", FOLLOWED)
@pytest.mark.parametrize("written", ["elsewhere", "under the old name"])
def test_any_write_takes_the_sidecar_of_a_renamed_file_along(
    shore: Desk, move: Callable[[Desk], None], written: str
) -> None:
    names = {one["text"]: one["id"] for one in shore.show("src/nets.py")}
    move(shore)
    if written == "elsewhere":
        shore.add("src/boats.py", 1, "NOTE: elsewhere", tag="NOTE")
    else:
        result = shore.run(
            "edit_comment", filePath="src/nets.py", commentId=names["NOTE: cut long"], text="NOTE: cut short"
        )
        assert result.wire()["filePath"] == "src/mesh.py"
    assert not (shore.root / "src/nets.py.comments").exists()
    assert len(shore.sidecar("src/mesh.py")["comments"]) == 2
    assert ("NOTE: cut short" in said(shore.show("src/mesh.py"))) == (written != "elsewhere")


def test_a_damaged_sidecar_of_a_renamed_file_stops_no_other_write(shore: Desk) -> None:
    moved_with_git(shore)
    place = shore.root / "src/mesh.py.comments"
    place.write_text("{")
    shore.add("src/boats.py", 1, "NOTE: elsewhere", tag="NOTE")
    assert place.read_text() == "{"
    assert (shore.root / "src/nets.py.comments").exists()


def test_where_a_file_was_it_says_where_its_comments_are(shore: Desk) -> None:
    moved_and_committed(shore)
    [first, second] = shore.show("src/nets.py")
    assert (first["orphaned"], first["reason"]) == (True, "file_moved")
    assert first["candidates"] == [{"line": 8, "score": 1.0, "filePath": "src/mesh.py"}]
    assert "src/mesh.py:14" in shore.words("get_file_comments", filePath="src/nets.py")
    shore.run("resolve_comment", filePath="src/nets.py", commentId=second["id"], status="resolved")
    assert [one["status"] for one in shore.show("src/mesh.py")] == ["open", "resolved"]
    shore.run(
        "move_comment",
        sourceFile="src/nets.py",
        commentId=first["id"],
        targetFile="src/mesh.py",
        targetLine=9,
    )
    assert sorted(one["line"] for one in shore.show("src/mesh.py")) == [9, 14]


def test_a_renamed_folder_takes_the_comments_of_all_its_files_along(shore: Desk) -> None:
    shore.add("src/boats.py", 6, "Which colour?", tag="QUESTION")
    shore.commit("Ask")
    for name in ("nets.py", "boats.py"):
        (shore.root / "coast").mkdir(exist_ok=True)
        shore.git("mv", f"src/{name}", f"coast/{name}")
    shore.commit("Rename the folder")
    assert places(shore) == ["coast/boats.py:6", "coast/nets.py:14", "coast/nets.py:8"]
    shore.scan()
    assert sorted(path.name for path in (shore.root / "coast").glob("*.comments")) == [
        "boats.py.comments",
        "nets.py.comments",
    ]
    assert not list((shore.root / "src").glob("*.comments"))
    assert shore.scan()["moved"] == []


@pytest.mark.parametrize("committed", [True, False])
def test_of_a_file_split_in_two_each_part_has_its_comments(shore: Desk, committed: bool) -> None:
    head, count, mend = NETS.split("\n\n\n")
    shore.write("src/knots.py", f"{head}\n\n\n{count}\n")
    shore.write("src/mending.py", f"{head}\n\n\n{mend}")
    (shore.root / "src/nets.py").unlink()
    if committed:
        shore.commit("Split")
    assert said(shore.show("src/knots.py")) == {"TODO: count twice": (8, False)}
    assert said(shore.show("src/mending.py")) == {"NOTE: cut long": (8, False)}
    assert places(shore) == ["src/knots.py:8", "src/mending.py:8"]


def test_what_the_new_file_had_stays_with_what_comes(shore: Desk) -> None:
    moved_with_git(shore)
    shore.git("commit", "-qm", "Rename")
    annotate(shore.root, "src/mesh.py", NETS, comment(1, 6, "Its own"))
    assert set(said(shore.show("src/mesh.py"))) == {"Its own", "TODO: count twice", "NOTE: cut long"}
    shore.add("src/mesh.py", 1, "TODO: new")
    assert len(shore.sidecar("src/mesh.py")["comments"]) == 4


def test_a_writer_that_is_ended_between_both_files_leaves_one_comment_of_each(
    shore: Desk, open_comments: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    moved_and_committed(shore)
    finish = SidecarFiles.finish

    def ended(self: SidecarFiles, change: Any) -> None:
        if change.source is None:
            os._exit(9)
        finish(self, change)

    if (child := os.fork()) == 0:
        monkeypatch.setattr(SidecarFiles, "finish", ended)
        desk = open_comments(shore.root)
        desk.add("src/mesh.py", 1, "TODO: never told")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert (shore.root / "src/mesh.py.comments").exists()
    assert (shore.root / "src/nets.py.comments").exists()
    assert len(shore.show("src/mesh.py")) == 2
    assert len(places(shore)) == 2
    shore.add("src/mesh.py", 1, "TODO: told")
    assert len(shore.sidecar("src/mesh.py")["comments"]) == 3
    assert not (shore.root / "src/nets.py.comments").exists()


def test_a_copy_takes_nothing_along(shore: Desk) -> None:
    shore.write("src/mesh.py", NETS)
    shore.commit("Copy")
    assert shore.show("src/mesh.py") == []
    assert len(shore.show("src/nets.py")) == 2


@pytest.mark.parametrize("committed", [True, False])
def test_of_two_equal_files_none_is_taken_for_the_one_without_a_word(shore: Desk, committed: bool) -> None:
    shore.write("src/mesh.py", NETS)
    shore.write("src/twin.py", NETS)
    (shore.root / "src/nets.py").unlink()
    if committed:
        shore.commit("Two of them")
    [unsure, _] = shore.run("list_orphans").wire()["orphans"]
    offered = {unsure["filePath"], *(one.get("filePath") for one in unsure["comment"]["candidates"])}
    assert {"src/mesh.py", "src/twin.py"} <= offered
    for path in ("src/mesh.py", "src/twin.py"):
        assert all(one["needsReview"] for one in shore.show(path))
    assert len(places(shore)) == 2


def test_what_was_deleted_is_an_orphan_that_is_attached_to_nothing(shore: Desk) -> None:
    (shore.root / "src/nets.py").unlink()
    shore.commit("Delete")
    assert shore.show("src/boats.py") == []
    assert [one["reason"] for one in shore.show("src/nets.py")] == ["file_deleted"] * 2
    assert "move_comment" in shore.words("get_file_comments", filePath="src/nets.py")


def test_an_added_file_is_not_what_a_deleted_one_was_renamed_to(shore: Desk) -> None:
    shore.write("lighthouse.py", "def shine(lamp):\n    lamp.turn()\n")
    shore.git("rm", "-q", "src/nets.py")
    shore.commit("Replace the nets by a lighthouse")
    assert shore.show("lighthouse.py") == []
    assert {found["reason"] for found in shore.show("src/nets.py")} == {"file_deleted"}


def test_a_line_that_is_uncertain_in_the_new_file_is_shown_there_for_review(shore: Desk) -> None:
    moved_without_git(shore)
    shore.write("src/mesh.py", NETS.replace("rows = net.rows * 2", "audit(net)\n    rows = net.rows + 2"))
    shown = shore.show("src/mesh.py")
    assert said(shown) == {"TODO: count twice": (9, False), "NOTE: cut long": (15, False)}
    assert [one["needsReview"] for one in shown] == [True, False]


def test_a_path_that_is_used_again_keeps_what_is_its_own(shore: Desk) -> None:
    moved_and_committed(shore)
    shore.add("src/mesh.py", 1, "TODO: settle")
    shore.write("src/nets.py", "".join(f"depth_{number} = {number}\n" for number in range(12)))
    shore.commit("Another file of that name")
    shore.add("src/nets.py", 6, "TODO: which colour")
    shore.commit("Annotate it")
    (shore.root / "src/nets.py").unlink()
    shore.commit("Delete it")
    assert len(shore.show("src/mesh.py")) == 3, "an older rename of the path is no reason"
    assert [one["reason"] for one in shore.show("src/nets.py")] == ["file_deleted"]
    shore.git("revert", "--no-edit", "HEAD")
    assert said(shore.show("src/nets.py")) == {"TODO: which colour": (6, False)}


def test_comments_of_another_program_follow_as_well(shore: Desk) -> None:
    annotate(shore.root, "src/boats.py", BOATS, comment(7, 6, "Which colour?"))
    shore.commit("Annotate elsewhere")
    os.rename(shore.root / "src/boats.py", shore.root / "src/ships.py")
    assert said(shore.show("src/ships.py")) == {"Which colour?": (6, False)}
    shore.commit("Rename")
    assert said(shore.show("src/ships.py")) == {"Which colour?": (6, False)}


def test_outside_git_the_content_decides(tmp_path: Path, open_comments: Callable[..., Desk]) -> None:
    (tmp_path / "plain").mkdir()
    desk = open_comments(tmp_path / "plain")
    desk.write("src/nets.py", NETS)
    desk.write("src/boats.py", BOATS)
    desk.add("src/nets.py", 8, "TODO: count twice")
    moved_without_git(desk)
    assert said(desk.show("src/mesh.py")) == {"TODO: count twice": (8, False)}
    os.rename(desk.root / "src/mesh.py", desk.root / "src/nets.py")
    assert said(desk.show("src/nets.py")) == {"TODO: count twice": (8, False)}
    assert desk.show("src/boats.py") == []


@pytest.mark.parametrize("profile", [[], ["--profile", "paired-comments"], ["--read-only"]])
def test_every_server_and_the_command_line_read_a_comment_at_its_new_place(
    shore: Desk, profile: list[str]
) -> None:
    holdfast = [sys.executable, "-m", "holdfast"]
    with wire_client([*holdfast, "serve", *profile], cwd=shore.root) as client:
        client.initialize()
        asked = {"filePath": "src/nets.py"}
        assert client.call(1, "get_file_comments", **asked)["result"]["metadata"]["commentCount"] == 2
        moved_with_git(shore)
        told = client.call(2, "get_file_comments", filePath="src/mesh.py")["result"]
        assert told["metadata"] == {"filePath": "src/mesh.py", "commentCount": 2, "orphanedCount": 0}
        found = client.call(3, "search_comments", query="count|cut")["result"]["content"][0]["text"]
        assert "src/mesh.py:8" in found
        assert "src/nets.py" not in found
    shown = subprocess.run(
        [*holdfast, "comments", "show", "src/mesh.py"],
        cwd=shore.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "TODO (Line 8)" in shown.stdout
    assert not (shore.root / "src/mesh.py.comments").exists()


def test_a_task_finds_a_linked_comment_after_it_was_stored_with_another_file(shore: Desk) -> None:
    [first, _] = shore.show("src/nets.py")
    known = CommentsNeighbour(shore.room)
    link = ("comment", f"src/nets.py#{first['id']}")
    for step in (moved_and_committed, lambda desk: desk.add("src/mesh.py", 1), lambda desk: desk.scan()):
        step(shore)
        remark = known.find("src/nets.py", first["id"])
        assert (remark.ref, remark.file, remark.line, remark.state) == (link[1], "src/mesh.py", 8, "open")
        assert list(known.about(RemarkQuery(links=[link]))) == [remark]
        on_file = [one.ref for one in known.about(RemarkQuery(files=["src/mesh.py"]))]
        assert f"src/mesh.py#{first['id']}" in on_file
    with pytest.raises(NotFound):
        known.find("src/nets.py", "c_1")


def mend_left(desk: Desk) -> None:
    """Let the second function go to the file about boats; both files stay."""
    head, count, mend = NETS.split("\n\n\n")
    desk.write("src/nets.py", f"{head}\n\n\n{count}\n")
    desk.write("src/boats.py", f"{BOATS}\n\n{mend}")


@pytest.mark.parametrize("first", ["src/nets.py", "src/boats.py"])
@pytest.mark.parametrize("committed", [True, False])
def test_code_that_left_a_file_which_stays_is_read_with_its_comment(
    shore: Desk, first: str, committed: bool
) -> None:
    mend_left(shore)
    if committed:
        shore.commit("Move a function")
    before = files(shore.root)
    shore.show(first)
    assert said(shore.show("src/boats.py")) == {"NOTE: cut long": (18, False)}
    [left] = [one for one in shore.show("src/nets.py") if one["orphaned"]]
    [place] = left["candidates"]
    assert (left["text"], place["filePath"], place["line"]) == ("NOTE: cut long", "src/boats.py", 18)
    assert files(shore.root) == before


def test_the_next_write_takes_it_there_and_back_again_when_its_code_returns(shore: Desk) -> None:
    mend_left(shore)
    shore.add("src/boats.py", 6, "Which colour?", tag="QUESTION")
    assert len(shore.sidecar("src/boats.py")["comments"]) == 2
    assert set(said(shore.show("src/nets.py"))) == {"TODO: count twice"}
    shore.write("src/nets.py", NETS)
    shore.write("src/boats.py", BOATS)
    shore.run("reanchor_comments")
    assert said(shore.show("src/nets.py")) == {"TODO: count twice": (8, False), "NOTE: cut long": (14, False)}


def test_what_came_is_seen_though_the_file_was_read_before_the_code_left_the_other(shore: Desk) -> None:
    shore.write("src/boats.py", BOATS + "\n\n" + NETS.split("\n\n\n")[2])
    assert shore.show("src/boats.py") == []
    mend_left(shore)
    assert set(said(shore.show("src/boats.py"))) == {"NOTE: cut long"}


def test_code_that_went_to_two_files_is_offered_in_both_and_shown_with_none(shore: Desk) -> None:
    mend_left(shore)
    shore.write("src/ropes.py", f"{BOATS}\n\n" + NETS.split("\n\n\n")[2])
    assert shore.show("src/boats.py") == shore.show("src/ropes.py") == []
    [lost] = [one for one in shore.show("src/nets.py") if one["orphaned"]]
    assert {one["filePath"] for one in lost["candidates"]} >= {"src/boats.py", "src/ropes.py"}
