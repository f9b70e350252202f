"""Comments stay with their code: through edits, commits, branches, renames and moves, in git and outside."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from holdfast.comments.anchors import orphans
from holdfast.comments.anchors.plan import plan_tracking
from holdfast.comments.anchors.version_chain import VersionHistory
from holdfast.comments.sidecar.source import line_hash
from holdfast.comments.tracking import follow as follow_module
from holdfast.comments.tracking import moved_files
from holdfast.comments.tracking.moved_files import MovedCode, MovedFiles
from holdfast.comments.tracking.placement import Anchor, FileVersion, Placement
from holdfast.kernel.call import Call, Listener, running
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history import file_history
from tests.comments import making
from tests.comments.conftest import Desk
from tests.comments.sources import AUTH, COMPARE, LIMIT, PATH, STORED, VALIDATE

HEADER = "// A licence\n// of three\n// lines\n"
REORDERED = AUTH.replace("const LIMIT = 5;\n", "").replace("export class", "const LIMIT = 5;\n\nexport class")


@pytest.fixture(params=["git", "plain"])
def either(request: pytest.FixtureRequest, desk: Desk, plain: Desk) -> Desk:
    return desk if request.param == "git" else plain


@pytest.mark.requirement("comments-22")
def test_lines_above_move_a_comment_down(either: Desk) -> None:
    name = either.add(PATH, STORED)
    either.write(PATH, HEADER + AUTH)
    assert either.line(PATH, name) == STORED + 3
    either.write(PATH, AUTH)
    assert either.line(PATH, name) == STORED


def test_reading_writes_nothing_and_a_scan_writes_down_where_it_is(either: Desk) -> None:
    name = either.add(PATH, STORED)
    before = (either.root / f"{PATH}.comments").read_bytes()
    either.write(PATH, HEADER + AUTH)
    either.show(PATH)
    assert (either.root / f"{PATH}.comments").read_bytes() == before
    (moved,) = either.scan()["moved"]
    assert (moved["commentId"], moved["fromLine"], moved["line"]) == (name, STORED, STORED + 3)
    document = either.sidecar(PATH)
    assert document["comments"][0]["line"] == document["ghostMarkers"][0]["line"] == STORED + 3
    (step,) = document["ghostMarkers"][0]["holdfast"]["history"]
    assert (step["from"], step["to"]) == (STORED, STORED + 3)


def test_what_was_only_read_a_scan_still_writes_down(either: Desk) -> None:
    name = either.add(PATH, STORED)
    either.write(PATH, HEADER + AUTH)
    for place in (either.root / PATH, either.root / f"{PATH}.comments"):
        os.utime(place, (1_700_000_000, 1_700_000_000))  # old enough for what was found to be kept
    assert either.line(PATH, name) == STORED + 3
    (moved,) = either.scan()["moved"]
    assert (moved["fromLine"], moved["line"]) == (STORED, STORED + 3)
    assert either.sidecar(PATH)["comments"][0]["line"] == STORED + 3


def test_a_scan_that_finds_nothing_new_writes_nothing(either: Desk) -> None:
    either.add(PATH, STORED)
    either.add(PATH, LIMIT)
    either.write(PATH, AUTH.replace("const LIMIT = 5;", "const LIMIT = 5;\nconst MORE = 6;"))
    before = (either.root / f"{PATH}.comments").read_bytes()
    found = either.scan()
    assert (found["moved"], found["orphaned"]) == ([], [])
    assert (either.root / f"{PATH}.comments").read_bytes() == before


def test_an_unchanged_file_is_not_compared_again(either: Desk) -> None:
    either.add(PATH, STORED)
    for place in (either.root / PATH, either.root / f"{PATH}.comments"):
        os.utime(place, (1_700_000_000, 1_700_000_000))
    assert either.scan()["changedFiles"] == 1
    assert either.scan()["changedFiles"] == 0
    either.write(PATH, HEADER + AUTH)
    assert either.scan()["changedFiles"] == 1


def test_evidence_is_the_version_it_was_written_for_even_when_that_was_never_committed(either: Desk) -> None:
    either.write(PATH, HEADER + AUTH)
    either.add(PATH, STORED + 3)
    version = either.room.annotated_version(either.room.load(PATH).comments[0])
    assert version is not None
    assert version.text == HEADER + AUTH
    assert version.path == PATH


def test_a_comment_follows_through_commits_and_a_branch_and_back(desk: Desk) -> None:
    name = desk.add(PATH, STORED)
    desk.commit("Annotate")
    desk.git("checkout", "--quiet", "-b", "other")
    desk.write(PATH, HEADER + AUTH)
    desk.commit("Head")
    desk.write(PATH, HEADER + REORDERED)
    desk.commit("Reorder")
    assert desk.line(PATH, name) == STORED + 5
    desk.scan()
    desk.commit("Where it is now")
    desk.git("checkout", "--quiet", "main")
    assert desk.line(PATH, name) == STORED
    desk.git("checkout", "--quiet", "other")
    assert desk.line(PATH, name) == STORED + 5


def test_a_formatter_that_touches_every_line_loses_nothing(either: Desk) -> None:
    names = {line: either.add(PATH, line) for line in (VALIDATE, STORED, COMPARE, LIMIT)}
    either.write(PATH, AUTH.replace("  ", "\t").replace("'", '"').replace(";\n", "\n"))
    assert {line: either.line(PATH, name) for line, name in names.items()} == {line: line for line in names}


def test_a_renamed_function_keeps_its_comments(either: Desk) -> None:
    name = either.add(PATH, COMPARE + 1)
    either.write(PATH, HEADER + AUTH.replace("comparePasswords", "areEqual"))
    assert either.line(PATH, name) == COMPARE + 4
    (found,) = either.show(PATH)
    assert found["symbol"]["name"] == "areEqual"


def test_a_renamed_file_takes_its_comments_along(either: Desk) -> None:
    names = [either.add(PATH, line) for line in (VALIDATE, COMPARE)]
    os.makedirs(either.root / "lib")
    os.replace(either.root / PATH, either.root / "lib/login.ts")
    assert all(item["reason"] == "file_moved" for item in either.show(PATH))
    moved = either.scan()["moved"]
    assert {(item["fromFile"], item["filePath"]) for item in moved} == {(PATH, "lib/login.ts")}
    assert [item["id"] for item in either.show("lib/login.ts")] == names
    assert [item["line"] for item in either.show("lib/login.ts")] == [VALIDATE, COMPARE]
    assert not (either.root / f"{PATH}.comments").exists()


def test_code_that_went_to_another_file_takes_its_comments_along_and_back(either: Desk) -> None:
    stays, goes = either.add(PATH, VALIDATE), either.add(PATH, COMPARE + 1)
    at = AUTH.index("export function comparePasswords")
    end = AUTH.index("const LIMIT")
    either.write(PATH, AUTH[:at] + AUTH[end:])
    either.write("src/compare.ts", "// moved here\n\n" + AUTH[at:end])
    either.scan()
    assert [item["id"] for item in either.show(PATH)] == [stays]
    (found,) = either.show("src/compare.ts")
    assert (found["id"], found["line"], found["orphaned"]) == (goes, 4, False)
    either.write(PATH, AUTH)
    os.unlink(either.root / "src/compare.ts")
    either.scan()
    assert either.line(PATH, goes) == COMPARE + 1


def test_one_index_of_the_workspace_serves_all_files_that_went_away(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    asked: list[str] = []

    class Counted(MovedFiles):
        def __init__(self, candidates: Iterable[FileVersion], *others: Any) -> None:
            files = list(candidates)
            made.append(len(files))
            super().__init__(files, *others)

        def candidates(self, old: FileVersion, anchor: Anchor, limit: int) -> list[MovedCode]:
            asked.append(old.path)
            return super().candidates(old, anchor, limit)

    texts = [
        AUTH.replace("comparePasswords", f"compare{number}").replace("LIMIT", f"LIMIT_{number}")
        for number in range(4)
    ]
    for number, text in enumerate(texts):
        desk.write(f"src/old_{number}.ts", text)
        desk.add(f"src/old_{number}.ts", COMPARE)
    for number, text in enumerate(texts):
        os.replace(desk.root / f"src/old_{number}.ts", desk.root / f"src/new_{number}.ts")
        desk.write(f"src/new_{number}.ts", f"// new_{number}\n{text}")
    monkeypatch.setattr(moved_files, "MovedFiles", Counted)
    moved = desk.scan()["moved"]
    assert {(item["fromFile"], item["filePath"]) for item in moved} == {
        (f"src/old_{number}.ts", f"src/new_{number}.ts") for number in range(4)
    }
    assert len(made) == 1
    assert sorted(asked) == [f"src/old_{number}.ts" for number in range(4)]


def test_a_deleted_file_orphans_its_comments_until_it_is_back(either: Desk) -> None:
    name = either.add(PATH, STORED)
    os.unlink(either.root / PATH)
    (orphan,) = either.scan()["orphaned"]
    assert (orphan["commentId"], orphan["reason"], orphan["line"]) == (name, "file_deleted", STORED)
    assert either.sidecar(PATH)["ghostMarkers"][0]["isOrphaned"] is True
    either.write(PATH, HEADER + AUTH)
    assert either.line(PATH, name) == STORED + 3
    either.scan()
    assert either.sidecar(PATH)["ghostMarkers"][0]["isOrphaned"] is False


def test_code_that_changed_beyond_recognition_keeps_the_evidence(either: Desk) -> None:
    name = either.add(PATH, LIMIT)
    before = either.sidecar(PATH)["ghostMarkers"][0]
    either.write(PATH, AUTH.replace("const LIMIT = 5;", "export default AuthService;"))
    either.scan()
    after = either.sidecar(PATH)["ghostMarkers"][0]
    kept = ("blob", "commit", "path", "line", "text", "before", "after", "lastGoodLine", "goodBlob")
    assert {key: after["holdfast"][key] for key in kept} == {key: before["holdfast"][key] for key in kept}
    assert (after["line"], after["lineText"]) == (before["line"], before["lineText"])
    assert after["holdfast"]["status"] in {"orphaned", "needs_review"}
    assert name in {item["id"] for item in either.show(PATH)}


def test_another_clone_follows_from_what_was_committed(
    desk: Desk, tmp_path: Path, open_comments: Any
) -> None:
    name = desk.add(PATH, STORED)
    desk.commit("Annotate")
    clone = tmp_path / "clone"
    desk.git("clone", "--quiet", str(desk.root), str(clone))
    other: Desk = open_comments(clone)
    other.write(PATH, HEADER + REORDERED)
    assert other.line(PATH, name) == STORED + 5
    assert other.room.annotated_version(other.room.load(PATH).comments[0]) is not None


def test_without_the_version_the_lines_that_were_kept_are_enough(
    plain: Desk, tmp_path: Path, open_comments: Callable[..., Desk]
) -> None:
    name = plain.add(PATH, STORED)
    copy = tmp_path / "copy"
    shutil.copytree(plain.root / "src", copy / "src")
    other = open_comments(copy)
    other.write(PATH, HEADER + AUTH)
    assert other.room.annotated_version(other.room.load(PATH).comments[0]) is None
    assert other.line(PATH, name) == STORED + 3


def foreign(line: int, text: str, **more: Any) -> str:
    """Return a sidecar as the extension writes it."""
    lines = text.split("\n")
    created = "2025-10-19T09:57:09.438Z"
    marker = {
        "id": "gm-1",
        "line": line,
        "commentIds": ["u-1"],
        "astAnchor": None,
        "lineHash": line_hash(lines[line - 1]),
        "lineText": lines[line - 1].strip(),
        "prevLineText": lines[line - 2].strip(),
        "nextLineText": lines[line].strip(),
        "lastVerified": created,
    }
    comment = {"id": "u-1", "line": line, "text": "x", "author": "A", "created": created, "updated": created}
    document = {"file": PATH, "version": "2.1.0", "ghostMarkers": [marker | more], "comments": [comment]}
    document["comments"][0]["ghostMarkerId"] = "gm-1"  # type: ignore[index]
    return json.dumps(document, indent=2)


def test_a_comment_of_the_extension_whose_line_is_stale_is_found(either: Desk) -> None:
    either.write(f"{PATH}.comments", foreign(STORED, AUTH))
    (found,) = either.show(PATH)
    assert (found["line"], found["confidence"]) == (STORED, "high")
    either.write(PATH, HEADER + AUTH)
    (found,) = either.show(PATH)
    assert (found["line"], found["confidence"]) == (STORED + 3, "high")


def test_git_tells_what_a_comment_of_the_extension_was_written_for(desk: Desk) -> None:
    desk.write(f"{PATH}.comments", foreign(STORED, AUTH))
    changed = AUTH.replace("const stored = this.users.get(name);", "const kept = this.users.get(name);")
    desk.write(PATH, HEADER + changed)
    desk.commit("Rename the variable")
    (found,) = desk.show(PATH)
    assert found["line"] == STORED + 3
    assert not found["orphaned"]


def test_a_blank_line_is_as_good_as_its_neighbours(either: Desk) -> None:
    either.write(f"{PATH}.comments", foreign(5, AUTH, lineText="[blank line]"))
    assert either.show(PATH)[0]["confidence"] == "high"


def test_a_number_alone_is_never_sure_and_is_followed_all_the_same(either: Desk) -> None:
    document = json.loads(foreign(STORED, AUTH))
    document["ghostMarkers"] = []
    either.write(f"{PATH}.comments", json.dumps(document))
    (found,) = either.show(PATH)
    assert (found["line"], found["needsReview"]) == (STORED, True)
    either.run("reply_to_comment", filePath=PATH, commentId=found["id"], text="seen")
    either.write(PATH, HEADER + AUTH)
    (found,) = either.show(PATH)
    assert (found["line"], found["needsReview"]) == (STORED + 3, True)
    either.run("move_comment", sourceFile=PATH, targetFile=PATH, commentId=found["id"], targetLine=STORED + 3)
    assert not either.show(PATH)[0]["needsReview"]


class Progress(Listener):
    """Hears how far a scan is."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, float | None]] = []

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        assert message
        self.heard.append((done, total))


@pytest.mark.parametrize("files", [3, 45])
def test_many_files_are_brought_up_to_date_with_progress(either: Desk, files: int) -> None:
    text = "def f{0}():\n    return {0}\n\n\ndef g{0}(value):\n    return value + {0}\n"
    names = {}
    for number in range(files):
        either.write(f"pkg/m{number}.py", text.format(number))
        names[number] = either.add(f"pkg/m{number}.py", 6)
    for number in range(files):
        either.write(f"pkg/m{number}.py", f"import os\n\n\n{text.format(number)}")
    listener = Progress()
    with running(Call(listener=listener)):
        from holdfast.comments.anchors.scan import Scan

        result = Scan(either.room).run()
    assert len(result.outcomes) == files
    assert {one.location.line for one in result.outcomes} == {9}
    assert [done for done, _ in listener.heard] == sorted(done for done, _ in listener.heard)
    (total,) = {total for _, total in listener.heard}
    assert len({done for done, _ in listener.heard}) >= 3 * files, "each file is told of at each step"
    assert listener.heard[0][0] == 0
    assert listener.heard[-1][0] < total
    for number, name in names.items():
        assert either.line(f"pkg/m{number}.py", name) == 9


def test_an_orphan_is_shown_with_the_places_that_the_command_line_offers(either: Desk) -> None:
    name = either.add(PATH, VALIDATE)
    either.write(PATH, "export const nothing = true;\n")
    either.write("src/other.ts", AUTH)
    (shown,) = either.show(PATH)
    (listed,) = either.run("list_orphans").wire()["orphans"]
    assert shown["id"] == listed["comment"]["id"] == name
    assert shown["candidates"] == listed["comment"]["candidates"]
    assert shown["candidates"][0]["filePath"] == "src/other.ts"
    assert "perhaps src/other.ts:" in either.words("get_file_comments", filePath=PATH)


def test_candidates_are_sought_again_only_when_a_file_changed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.add(PATH, VALIDATE)
    desk.write(PATH, "export const nothing = true;\n")
    made: list[int] = []
    build_file_index = orphans.build_file_index
    monkeypatch.setattr(
        orphans, "build_file_index", lambda *given: made.append(1) or build_file_index(*given)
    )
    assert desk.show(PATH)[0]["candidates"] == desk.show(PATH)[0]["candidates"] == []
    assert len(made) == 1
    desk.write("src/other.ts", AUTH)
    assert desk.show(PATH)[0]["candidates"][0]["filePath"] == "src/other.ts"
    assert len(made) == 2


def test_in_a_very_large_workspace_only_the_file_itself_is_looked_at_while_reading(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphans, "MAX_COMPARED_FILES", 0)
    desk.add(PATH, VALIDATE)
    desk.write(PATH, "export const nothing = true;\n")
    desk.write("src/other.ts", AUTH)
    assert desk.show(PATH)[0]["candidates"] == []


TWINS = "begin()\nreturn load(now)\nend()\n\nbegin(later)\nreturn load(now)\nend(later)\n"


@pytest.mark.parametrize(
    ("previous", "following", "sure"),
    [
        (None, None, False),
        ("begin(later)", "end(later)", True),
        ("begin(later)", "other()", True),
        ("a", "b", False),
    ],
)
def test_of_identical_lines_a_marker_knows_its_own_by_its_neighbours(
    plain: Desk, previous: str | None, following: str | None, sure: bool
) -> None:
    plain.write("a.txt", TWINS)
    marker: dict[str, Any] = {
        "id": "gm-1",
        "line": 6,
        "commentIds": ["one"],
        "lineHash": line_hash("return load(now)"),
    }
    marker["lineText"] = "return load(now)"
    marker |= {} if previous is None else {"prevLineText": previous, "nextLineText": following}
    when = "2025-10-19T15:31:00.000Z"
    comment = {"id": "one", "line": 6, "text": "x", "author": "A", "created": when, "updated": when}
    document = {"file": "a.txt", "version": "2.1.0", "ghostMarkers": [marker], "comments": [comment]}
    plain.write("a.txt.comments", json.dumps(document))
    (shown,) = plain.show("a.txt")
    assert (shown["confidence"] == "high") is sure


class AskedHistory(VersionHistory):
    """Counts how often git is asked for the versions of a file."""

    asked = 0

    def dated_contents(self, path: str) -> list[tuple[int, str]]:
        self.asked += 1
        return super().dated_contents(path)


def test_comments_without_markers_ask_git_once_and_are_compared_once(desk: Desk) -> None:
    desk.commit()
    later = "2099-01-01T00:00:00.000Z"
    places = [1 + number % len(AUTH.splitlines()) for number in range(50)]
    notes = [making.comment(number, line, "x", updated=later) for number, line in enumerate(places)]
    making.write_sidecar(desk.root, PATH, making.document(PATH, notes, []))
    desk.write(PATH, HEADER + AUTH)
    history, path = AskedHistory(desk.room.archive, desk.room.history), RepoPath.parse(PATH)
    found = plan_tracking(desk.room.stored(path), desk.room.current_source(path), history)
    assert [chain.positions for chain in found.chains] == [tuple(range(50))]
    assert history.asked == 1
    assert sorted(one["line"] for one in desk.show(PATH)) == sorted(line + 3 for line in places)


HELPERS = "import { hash } from './hash';\n\nexport const SALT = 'pepper';\n"
CLASS = AUTH[AUTH.index("export class") : AUTH.index("export function")]


def moved_apart(desk: Desk) -> str:
    """Write a comment, and let its class go to another file."""
    name = desk.add(PATH, VALIDATE)
    desk.write("src/services/helpers.ts", HELPERS + CLASS)
    desk.write(PATH, AUTH.replace(CLASS, ""))
    (moved,) = desk.scan()["moved"]
    assert moved["filePath"] == "src/services/helpers.ts"
    return name


def test_a_comment_that_followed_its_code_goes_back_when_the_code_returns(either: Desk) -> None:
    name = moved_apart(either)
    either.write(PATH, AUTH)
    either.write("src/services/helpers.ts", HELPERS)
    either.scan()
    assert either.line(PATH, name) == VALIDATE


def test_it_goes_back_though_a_copy_stays(either: Desk) -> None:
    name = moved_apart(either)
    either.write(PATH, HEADER + AUTH)
    either.scan()
    assert either.line(PATH, name) == VALIDATE + 3
    assert either.show("src/services/helpers.ts") == []


def test_comments_that_were_copied_with_their_file_stay_in_the_copy(either: Desk) -> None:
    name = either.add(PATH, VALIDATE)
    for suffix in ("", ".comments"):
        shutil.copy(either.root / f"{PATH}{suffix}", either.root / f"src/copy.ts{suffix}")
    either.scan()
    assert (
        [one["id"] for one in either.show(PATH)]
        == [one["id"] for one in either.show("src/copy.ts")]
        == [name]
    )


def test_where_the_file_is_clear_and_the_line_is_not_a_comment_goes_along_to_be_reviewed(
    either: Desk,
) -> None:
    name = either.add(PATH, STORED)
    changed = CLASS.replace(
        "const stored = this.users.get(name);", "const kept = await this.accounts.find(name);"
    )
    either.write("src/services/helpers.ts", HELPERS + changed.replace("stored", "kept"))
    either.write(PATH, AUTH.replace(CLASS, ""))
    either.scan()
    (shown,) = either.show("src/services/helpers.ts")
    assert (shown["id"], shown["needsReview"]) == (name, True)
    assert either.show(PATH) == []


def test_a_name_that_vanished_is_looked_for_elsewhere_before_another_symbol_is_taken(either: Desk) -> None:
    name = either.add(PATH, COMPARE)
    function = AUTH[AUTH.index("export function") : AUTH.index("const LIMIT")]
    alike = function.replace("comparePasswords", "compareLengths").replace(".length !==", ".size >")
    alike = alike.replace("return left === right", "return left.size > 0")
    either.write("src/services/helpers.ts", HELPERS + function)
    either.write(PATH, AUTH.replace(function, alike))
    either.scan()
    assert [one["id"] for one in either.show("src/services/helpers.ts")] == [name]


def revisions_seen(action: Callable[[], object]) -> set[tuple[str, ...]]:
    """Return the texts that comments are followed through meanwhile."""
    seen: set[tuple[str, ...]] = set()
    follow = follow_module.follow

    def noting(versions: Sequence[FileVersion], anchors: Sequence[Anchor]) -> list[Placement]:
        seen.add(tuple(one.text for one in versions))
        return follow(versions, anchors)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(follow_module, "follow", noting)
        action()
    return seen


def test_a_scan_of_many_files_sees_the_revisions_that_reading_sees(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [f"src/part{number}.ts" for number in range(10)]
    for path in paths:
        desk.write(path, f"// {path}\n{AUTH}")
    desk.commit()
    for path in paths:
        desk.add(path, STORED + 1)
    for text in (AUTH.replace("stored", "kept"), AUTH.replace("stored", "found")):
        for path in paths:
            desk.write(path, f"// {path}\n{text}")
        desk.commit()
    monkeypatch.setattr(file_history, "MAX_COMMITS", 2)  # fewer than there are in all
    for number in range(3):
        desk.write("README.md", str(number))
        desk.commit()
    read = revisions_seen(lambda: [desk.room.load(path) for path in paths])
    scanned = revisions_seen(desk.scan)
    assert len(read) == len(paths)
    assert scanned == read
    assert all(len(versions) == 3 for versions in read)


def test_the_revisions_of_a_file_go_on_under_its_new_name(desk: Desk) -> None:
    desk.add(PATH, STORED)
    for number, text in enumerate([AUTH.replace("stored", "kept"), AUTH.replace("stored", "found")]):
        desk.write(PATH, text)
        desk.commit(str(number))
    desk.git("mv", PATH, "src/moved.ts")
    desk.git("mv", f"{PATH}.comments", "src/moved.ts.comments")
    desk.commit("Rename")
    desk.write("src/moved.ts", HEADER + AUTH.replace("stored", "known"))
    desk.commit("Go on")
    desk.write("src/moved.ts", HEADER + HEADER + AUTH.replace("stored", "last"))
    (versions,) = revisions_seen(lambda: desk.room.load("src/moved.ts"))
    assert [text.count(HEADER) for text in versions] == [0, 0, 0, 1, 2]


@pytest.mark.parametrize("home", ["../outside.ts", ".git/config", "/etc/passwd", "src/gone.ts", 7])
@pytest.mark.parametrize("history", [[7, {"by": "moved_file"}], "moved_file", None])
def test_a_sidecar_that_names_a_strange_home_moves_nothing(
    plain: Desk, home: object, history: object
) -> None:
    name = plain.add(PATH, STORED)
    document = plain.sidecar(PATH)
    document["ghostMarkers"][0]["holdfast"] |= {"path": home, "history": history, "method": "moved_file"}
    plain.write(f"{PATH}.comments", json.dumps(document))
    plain.write(PATH, HEADER + AUTH)
    found = plain.scan()
    assert found["damaged"] == []
    assert plain.line(PATH, name) == STORED + 3
