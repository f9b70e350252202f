from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.kernel.errors import Invalid, InvalidArguments, NotFound, Unavailable
from holdfast.milestones.entity import EntityDraft as IssueDraft
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.commit_search import CommitSearch
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.file_signature import signature_of
from holdfast.tasks.change_input import TaskItems, UpdateTask
from holdfast.tasks.errors import AlreadyClaimed
from holdfast.tasks.link_targets import LinkTarget, parse_target
from holdfast.tasks.models import LinkIn
from holdfast.tasks.neighbours import TaskRemark
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Draft, File, TaskLink
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.tasks.texts import rules
from holdfast.tasks.tools.add import AddTasks, CreateTask, add, create_task
from holdfast.tasks.tools.audit import AuditTasks, audit
from holdfast.tasks.tools.focus import FocusTask, focus
from holdfast.tasks.tools.start import StartSession, start
from holdfast.tasks.tools.task_from import TaskFrom, TaskFromResult, result_text, task_from, title_of
from holdfast.tasks.tools.update import update
from holdfast.tasks.trackers.counterparts import Counterpart, store_connected, store_counterparts
from holdfast.tasks.view.focus_result import Focus, focus_text
from holdfast.workspace import Workspace
from tests.tasks.claims import claim
from tests.waiting import wait_until

ME = CallerIdentity("ada")
SOURCE = "def parse():\n    return 1\n\n\ndef show():\n    return 2\n"


@pytest.fixture
def workspace(repository: Path) -> Iterator[Workspace]:
    (repository / "src").mkdir()
    (repository / "src" / "app.py").write_text(SOURCE)
    commit(repository, "Begin")
    opened = Workspace.discover(repository)
    ensure_workspace(opened.room("tasks"), "kelp", [], "criteria")
    yield opened
    opened.close()


@pytest.fixture
def room(workspace: Workspace) -> Tasks:
    found: Tasks = workspace.room("tasks")
    return found


def commit(repository: Path, message: str) -> None:
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", message], cwd=repository, check=True)


def look(room: Tasks, task_id: str = "TP-1", **more: object) -> Focus:
    found: Focus = focus(room, FocusTask(task_id=task_id, **more))  # type: ignore[arg-type]
    return found


def comment_on(workspace: Workspace, line: int, text: str, tag: str | None = None) -> str:
    draft = CommentDraft(line=line, text=text, author="grace", tag=tag)
    placed = CommentWriter(workspace.room("comments")).add(RepoPath.parse("src/app.py"), draft)
    return placed.note.alias


def test_focus_claims_the_task_and_tells_what_is_around_it(workspace: Workspace, room: Tasks) -> None:
    whole = room.create([Draft("Whole")], ME)[0][0]
    base = room.create([Draft("Base")], ME)[0][0]
    draft = Draft("Part", "Do it.", parent=whole.id, criteria=["One", "Two"], files=[File("src/app.py")])
    part = room.create([draft], ME)[0][0]
    room.update(part.id, Change(check=[1]), ME)
    rules.add(room, rules.Rule("testing", "Test every change", "workspace"), source="test")
    found = look(room, part.id, agent="lin")
    assert found.claim is not None
    assert (found.claim.agent, found.task.status, found.to_check) == ("lin", "in-progress", [2])
    assert [parent.id for parent in found.parents or ()] == [whole.id]
    assert [rule.text for rule in found.rules or ()] == ["Test every change"]
    assert found.claim.token
    room.update(base.id, Change(add={"depends_on": [(part.id, "blocks")]}), ME)
    assert [item.id for item in look(room, base.id, peek=True).blockers or ()] == [part.id]


def test_focus_bundles_what_the_other_rooms_know_about_its_files(workspace: Workspace, room: Tasks) -> None:
    inbox = workspace.inbox
    inbox.send("src/app.py", "This needs a test", "2", "Ada")
    inbox.send("other.py", "Not about this")
    name = comment_on(workspace, 5, "Rename this", "NOTE")
    issue = workspace.room("milestones").create(
        IssueDraft(kind="issue", title="Parser", links=("src/app.py",))
    )
    room.create([Draft("Fix", files=[File("src/app.py")])], ME)
    commit(Path(workspace.repository.root), "Start on TP-1\n\nTask: TP-1")
    commit(Path(workspace.repository.root), "Something for TP-12")
    found = look(room, peek=True)
    kinds = {remark.kind: remark for remark in found.remarks or ()}
    assert sorted(kinds) == ["comment", "commit", "issue", "message"]
    assert (kinds["message"].text, kinds["message"].line) == ("This needs a test", 2)
    assert (kinds["comment"].ref, kinds["comment"].line) == (f"src/app.py#{name}", 5)
    assert kinds["comment"].uri == "comment://workspace/src/app.py.comments"
    assert kinds["issue"].ref == issue.entity
    assert kinds["commit"].text == "Start on TP-1"
    assert found.absent is None
    assert found.claim is None
    assert inbox.count("pending") == 2, "looking takes no message"
    words = focus_text(found)
    assert "message src/app.py:2: This needs a test" in words
    assert "Nothing was asked about" not in words


def test_what_was_remembered_of_other_rooms_is_forgotten_when_somebody_else_changes_it(
    workspace: Workspace, room: Tasks
) -> None:
    root = Path(workspace.repository.root)
    name = comment_on(workspace, 5, "Rename this")
    workspace.inbox.send("src/app.py", "Test it")
    draft = IssueDraft(kind="issue", title="Parser", links=("src/app.py",))
    issue = workspace.room("milestones").create(draft)
    rules.add(room, rules.Rule("testing", "Test every change", "workspace"), source="test")
    room.create([Draft("Fix", files=[File("src/app.py")])], ME)
    commit(root, "Start on TP-1")
    _grow_old(workspace)
    told = [look(room, peek=True) for _ in range(3)][-1]
    assert sorted(remark.kind for remark in told.remarks or ()) == ["comment", "commit", "issue", "message"]
    other = Workspace.discover(root)
    other.inbox.mark_delivered(other.inbox.take().lease)
    other.room("milestones").set_status(issue.entity, "closed")
    (root / "src" / "app.py").write_text(f"import os\n\n{SOURCE}")
    (root / ".task" / "rules" / "workspace_rules.md").write_text("## Coding\n\n- Write it twice\n")
    commit(root, "Go on with TP-1")
    other.close()
    found = look(room, peek=True)
    assert [(remark.kind, remark.line) for remark in found.remarks or ()] == [
        ("comment", 7),
        ("finding", 1),  # of the import that nothing uses
        ("commit", None),
        ("commit", None),
    ]
    assert [rule.text for rule in found.rules or ()] == ["Write it twice"]
    CommentWriter(workspace.room("comments")).resolve(RepoPath.parse("src/app.py"), name, "resolved", "grace")
    assert {remark.kind for remark in look(room, peek=True).remarks or ()} == {"finding", "commit"}


def _grow_old(workspace: Workspace) -> None:
    """Wait until the files that the other rooms read are no longer so young that each look reads them."""
    root = Path(workspace.repository.root)
    files = [path for path in root.rglob("*") if path.is_file() or ".git/refs" in str(path)]
    wait_until(lambda: signature_of(map(str, files)) is not None)


def test_a_session_begins_with_what_waits_elsewhere(workspace: Workspace, room: Tasks) -> None:
    workspace.inbox.send("src/app.py", "Waiting")
    begun = start(room, StartSession(workspace_path="."))
    assert begun.unread.review_messages == 1
    alone = Tasks.open(workspace.repository)
    assert start(alone, StartSession(workspace_path=".")).unread is None
    alone.close()


def test_settled_comments_and_messages_that_were_delivered_are_not_told(
    workspace: Workspace, room: Tasks
) -> None:
    name = comment_on(workspace, 5, "Rename this")
    CommentWriter(workspace.room("comments")).resolve(RepoPath.parse("src/app.py"), name, "resolved", "grace")
    workspace.inbox.send("src/app.py", "Old")
    workspace.inbox.mark_delivered(workspace.inbox.take().lease)
    room.create([Draft("Fix", files=[File("src/app.py")])], ME)
    assert look(room, peek=True).remarks is None


def test_what_is_linked_is_told_wherever_it_is(workspace: Workspace, room: Tasks) -> None:
    receipt = workspace.inbox.send("README.md", "About something else")
    links = [
        TaskLink("message", receipt.id),
        TaskLink("issue", "ada/kelp#12", "https://github.com/ada/kelp/issues/12"),
    ]
    room.create([Draft("Fix", links=links)], ME)
    found = look(room, peek=True)
    assert [remark.ref for remark in found.remarks or ()] == [receipt.id]
    assert found.unreadable is None


def test_a_room_that_cannot_be_read_is_named_and_the_others_are_heard(
    workspace: Workspace, room: Tasks
) -> None:
    (Path(workspace.repository.root) / "src" / "app.py.comments").write_text("{damaged")
    workspace.inbox.send("src/app.py", "Heard")
    room.create([Draft("Fix", files=[File("src/app.py")])], ME)
    found = look(room, peek=True)
    assert [item.room for item in found.unreadable or ()] == ["comments"]
    assert [remark.text for remark in found.remarks or ()] == ["Heard"]


def test_focus_names_what_is_to_be_mended_in_the_files_of_the_task(workspace: Workspace, room: Tasks) -> None:
    root = Path(workspace.repository.root)
    branches = "".join(f"    if a == {number}:\n        a += 1\n" for number in range(25))
    branches = "    # FIXME: too long\n" + branches  # hygiene: to be found
    text = f"import json\n\n\ndef tangle(a):\n{branches}    return a\n"
    (root / "src" / "app.py").write_text(text, encoding="utf-8")
    (root / "src" / "other.py").write_text("import os\n", encoding="utf-8")
    room.create([Draft("Fix", files=[File("src/app.py"), File("src/gone.py"), File("README")])], ME)
    found = [remark for remark in look(room, peek=True).remarks or () if remark.kind == "finding"]
    assert [(remark.file, remark.line, remark.state) for remark in found] == [
        ("src/app.py", 4, "high"),
        ("src/app.py", 4, "medium"),
        ("src/app.py", 5, "high"),
    ]
    more = {item.what: (item.shown, item.total) for item in look(room, peek=True).more or ()}
    assert more["findings"] == (3, 4)
    assert "tangle: Cyclomatic complexity of 26 is over 20." in focus_text(look(room, peek=True))
    detailed = look(room, peek=True, response_format="detailed").remarks or ()
    assert [remark.text for remark in detailed if remark.line == 1] == [
        "Unused import json. The file imports this name but never uses it."
    ]


def test_a_file_that_cannot_be_analysed_does_not_keep_the_rest_from_a_focus(
    workspace: Workspace, room: Tasks
) -> None:
    root = Path(workspace.repository.root)
    (root / "src" / "app.py").write_bytes(b"\xff\xfe\x00def ( [ {" * 50)
    (root / "src" / "folder.py").mkdir()
    (root / "src" / "link.py").symlink_to(root / "src" / "app.py")
    files = [File("src/app.py"), File("src/folder.py"), File("src/link.py")]
    room.create([Draft("Fix", files=files)], ME)
    workspace.inbox.send("src/app.py", "Heard")
    found = look(room, peek=True)
    assert [remark.kind for remark in found.remarks or ()] == ["message"]
    assert found.unreadable is None


def test_a_room_alone_names_every_other_as_absent(repository: Path) -> None:
    room = Tasks.open(Repository.discover(repository))
    ensure_workspace(room, "kelp", [], "criteria")
    room.create([Draft("Fix")], ME)
    assert look(room, peek=True).absent == ["comments", "inbox", "milestones", "findings", "git"]
    with pytest.raises(Unavailable):
        task_from(room, TaskFrom(source="m_0123456789"))
    room.close()


def test_outside_git_the_rooms_that_need_it_are_absent(home: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    workspace = Workspace.discover(tmp_path / "plain")
    ensure_workspace(workspace.room("tasks"), "kelp", [], "criteria")
    workspace.room("tasks").create([Draft("Fix")], ME)
    assert look(workspace.room("tasks"), peek=True).absent == ["milestones", "git"]
    workspace.close()


def test_words_tell_what_was_left_for_the_next_one(workspace: Workspace, room: Tasks) -> None:
    room.create([Draft("Light the lamp", files=(File("src/app.py"),))], CallerIdentity("ada"))
    change = Change(set={"notes": "The wick is wet", "plan": "Dry it"})
    room.update("TP-1", change, CallerIdentity("ada"))
    words = focus_text(look(room, peek=True))
    assert "Notes: The wick is wet" in words
    assert "Plan: Dry it" in words
    assert "Files: src/app.py" in words


def test_what_somebody_else_holds_can_be_looked_at_only(room: Tasks) -> None:
    room.create([Draft("Fix")], ME)
    claim(room, "TP-1", CallerIdentity("grace"))
    with pytest.raises(AlreadyClaimed) as caught:
        look(room, agent="lin")
    assert "pass `peek`" in caught.value.sentence()
    assert look(room, peek=True).task.claimed_by == "grace"


def test_long_texts_are_cut_and_said_to_be(workspace: Workspace, room: Tasks) -> None:
    criteria = [f"Criterion {number} {'c' * 900}" for number in range(60)]
    files = [File(f"src/f{number}.py") for number in range(60)]
    room.create([Draft("Fix", "d" * 40_000, notes="n" * 40_000, criteria=criteria, files=files)], ME)
    for number in range(30):
        workspace.inbox.send("src/f1.py", f"Remark {number} {'r' * 3000}")
    concise, detailed = look(room, peek=True), look(room, peek=True, response_format="detailed")
    assert concise.truncated
    assert len(concise.model_dump_json(exclude_none=True)) < 8_000
    assert len(detailed.model_dump_json(exclude_none=True)) < 32_000
    assert len(focus_text(concise).splitlines()) <= 25
    cut = {item.what: item.total for item in concise.more or ()}
    assert (cut["messages"], cut["connected_files"], cut["criteria"]) == (30, 60, 60)
    assert any((item.uri or "").endswith("/tasks/TP-1") for item in concise.more or ())


def test_rules_and_remarks_with_cut_texts_are_named_among_what_was_cut(
    workspace: Workspace, room: Tasks
) -> None:
    rules.add(room, rules.Rule("testing", f"Test {'t' * 400}", "workspace"), source="test")
    workspace.inbox.send("src/app.py", f"Remark {'r' * 400}")
    room.create([Draft("Fix", files=[File("src/app.py")])], ME)
    found = look(room, peek=True)
    assert found.truncated
    cut = {item.what: (item.shown, item.total) for item in found.more or ()}
    assert cut == {"rules": (1, 1), "remarks": (1, 1)}
    assert look(room, peek=True, response_format="detailed").more, "300 characters are cut too"
    assert "more: " not in focus_text(found), "nothing is left out as a whole"


def test_a_list_is_cut_without_a_word_of_cut_texts(room: Tasks) -> None:
    room.create([Draft("Fix", files=[File(f"src/f{number}.py") for number in range(9)])], ME)
    found = look(room, peek=True)
    assert [(item.what, item.shown, item.total) for item in found.more or ()] == [("connected_files", 8, 9)]
    assert found.truncated is None


def test_a_message_becomes_a_task_with_a_link_and_an_answer(workspace: Workspace, room: Tasks) -> None:
    sent = workspace.inbox.send("src/app.py", "This leaks. Close the file in every case.", "1-2", "Ada")
    made: TaskFromResult = task_from(room, TaskFrom(source=sent.id, priority="high"))
    assert (made.outcome, made.created, made.answered) == ("created", True, True)
    found = look(room, made.task.id, peek=True).task
    assert (found.title, found.priority) == ("This leaks", "high")
    assert found.description == "This leaks. Close the file in every case."
    assert [(file.path, file.line_start, file.line_end) for file in found.connected_files or ()] == [
        ("src/app.py", 1, 2)
    ]
    assert [(link.kind, link.ref) for link in found.links or ()] == [("message", sent.id)]
    message = workspace.inbox.find(sent.id)
    assert [reply.text for reply in workspace.inbox.replies(message)] == ["This is now task TP-1: This leaks"]
    again: TaskFromResult = task_from(room, TaskFrom(source=sent.id))
    assert (again.task.id, again.created, again.outcome) == (made.task.id, False, "known")
    assert "exists already" in result_text(again)
    assert workspace.inbox.find(sent.id).reply_count == 1


def test_a_comment_becomes_a_task_with_its_tag_as_label(workspace: Workspace, room: Tasks) -> None:
    name = comment_on(workspace, 5, "Rename this function", "NOTE")
    made: TaskFromResult = task_from(room, TaskFrom(source=f"src/app.py#{name}"))
    found = look(room, made.task.id, peek=True).task
    assert (found.title, found.labels) == ("Rename this function", ["NOTE"])
    assert (found.links or [])[0].uri == "comment://workspace/src/app.py.comments"
    replies = workspace.room("comments").load("src/app.py").comments[0].replies
    assert [reply["text"] for reply in replies] == ["This is now task TP-1: Rename this function"]
    same: TaskFromResult = task_from(room, TaskFrom(source=f"comment://workspace/src/app.py.comments#{name}"))
    assert same.task.id == made.task.id


def test_an_issue_becomes_a_task(workspace: Workspace, room: Tasks) -> None:
    issue = workspace.room("milestones").create(IssueDraft(kind="issue", title="Parser", labels=("bug",)))
    made: TaskFromResult = task_from(room, TaskFrom(source=f"git-mile://entity/{issue.entity}", reply=True))
    assert (made.task.title, made.answered) == ("Parser", False)


def test_a_message_on_a_task_in_review_brings_it_back_to_work(workspace: Workspace, room: Tasks) -> None:
    sent = workspace.inbox.send("src/app.py", "Not yet")
    room.create([Draft("Fix")], ME)
    for status in ("in-progress", "review"):
        room.update("TP-1", Change(set={"status": status}), ME)
    made: TaskFromResult = task_from(room, TaskFrom(source=sent.id, task_id="TP-1", reply=False))
    assert (made.outcome, made.task.status, made.answered) == ("linked", "in-progress", False)
    assert room.find(Query()).total == 1


def test_what_does_not_exist_is_named(workspace: Workspace, room: Tasks) -> None:
    for source, kind in (
        ("m_0123456789abcdef", NotFound), ("src/app.py#c_1", NotFound), ("nothing", Invalid),
        ("../x#c_1", Invalid), ("git-mile://entity/ffffffff", NotFound),
    ):  # fmt: skip
        with pytest.raises(kind):
            task_from(room, TaskFrom(source=source))
    assert room.find(Query()).total == 0


def test_addresses_and_ids_mean_the_same() -> None:
    assert (
        parse_target("lazygit://messages#m_00ff")
        == parse_target(" m_00ff ")
        == LinkTarget("message", "m_00ff")
    )
    assert parse_target("comment://workspace/a%20b.py.comments#c_1") == LinkTarget("comment", "c_1", "a b.py")
    assert parse_target("issue:c8d4b0a2") == LinkTarget("issue", "c8d4b0a2")


def test_a_title_is_made_of_what_was_said() -> None:
    assert title_of(TaskRemark("message", "m_1", "Short. And more.")) == "Short"
    assert title_of(TaskRemark("message", "m_1", "x" * 201)) == "x" * 199 + "…"
    assert title_of(TaskRemark("message", "m_1", " \x00\n")) == "message m_1"


def test_commits_are_found_by_whole_names(repository: Path) -> None:
    for message in ("TP-1: begin", "About TP-12", "XTP-1", "Closes tp-1."):
        commit(repository, message)
    search = CommitSearch(Repository.discover(repository))
    assert [item.subject for item in search.commits_naming("TP-1", 10)] == ["Closes tp-1.", "TP-1: begin"]
    commit(repository, "More\n\nTask: TP-1")
    assert [item.subject for item in search.commits_naming("TP-1", 2)] == ["More", "Closes tp-1."]
    subprocess.run(["git", "reset", "-q", "--hard", "HEAD~2"], cwd=repository, check=True)
    assert [item.subject for item in search.commits_naming("TP-1", 10)] == ["TP-1: begin"], (
        "history was taken back"
    )
    assert search.commits_naming("--all", 10) == []
    search.close()


def test_commits_are_those_of_the_present_head_however_it_is_kept(repository: Path, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True)

    commit(repository, "TP-1: begin")
    search = CommitSearch(Repository.discover(repository))

    def named() -> list[str]:
        return [item.subject for item in search.commits_naming("TP-1", 10)]

    assert named() == ["TP-1: begin"]
    git("pack-refs", "--all")
    assert named() == ["TP-1: begin"]
    commit(repository, "TP-1: go on")
    assert named() == ["TP-1: go on", "TP-1: begin"], "a loose ref wins over a packed one"
    git("checkout", "--quiet", "--detach", "HEAD~1")
    assert named() == ["TP-1: begin"]
    git("checkout", "--quiet", "-b", "deep/er/side")
    commit(repository, "TP-1: aside")
    assert named() == ["TP-1: aside", "TP-1: begin"]
    git("symbolic-ref", "refs/heads/alias", "refs/heads/deep/er/side")
    git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert named() == ["TP-1: aside", "TP-1: begin"], "only git knows what an alias stands for"
    git("checkout", "--quiet", "--orphan", "new")
    assert named() == []
    git("worktree", "add", "--quiet", str(tmp_path / "tree"), "deep/er/side")
    beside = CommitSearch(Repository.discover(tmp_path / "tree"))
    assert [item.subject for item in beside.commits_naming("TP-1", 1)] == ["TP-1: aside"]
    search.close()
    beside.close()


def test_without_commits_or_git_nothing_is_named(repository: Path, tmp_path: Path) -> None:
    for place in (repository, tmp_path):
        search = CommitSearch(Repository.discover(place))
        assert search.commits_naming("TP-1", 10) == []
        search.close()


def audited(room: Tasks, **more: object) -> dict[str, list[str]]:
    """Return what an audit found about links to other rooms, by code."""
    found: dict[str, list[str]] = {}
    for item in audit(room, AuditTasks(**more)).findings:  # type: ignore[arg-type]
        if item.code in ("ORPHAN_COMMENT", "ISSUE_DRIFT"):
            found.setdefault(item.code, []).append(f"{item.task_id}: {item.detail}")
            assert item.fix
    return found


def test_an_audit_tells_of_comments_whose_code_is_gone(workspace: Workspace, room: Tasks) -> None:
    name = comment_on(workspace, 5, "Rename this")
    kept = comment_on(workspace, 1, "Keep this")
    room.create([Draft("One", links=[TaskLink("comment", f"src/app.py#{name}")])], ME)
    room.create([Draft("Two", links=[TaskLink("comment", f"src/app.py#{kept}")])], ME)
    assert audited(room) == {}
    place = Path(workspace.repository.root, "src/app.py")
    place.write_text("def parse():\n    return 1\n")
    assert audited(room) == {"ORPHAN_COMMENT": [f"TP-1: The code of its comment src/app.py#{name} is gone."]}
    assert "comment src/app.py:5 (orphaned): Rename this" in focus_text(look(room, "TP-1"))
    CommentWriter(workspace.room("comments")).delete(RepoPath.parse("src/app.py"), name)
    assert audited(room, scope="files") == {
        "ORPHAN_COMMENT": [f"TP-1: Its comment src/app.py#{name} is missing."]
    }
    assert audited(room, scope="dependencies") == {}
    room.update("TP-1", Change(set={"status": "dropped"}, take_over=True), ME)
    assert audited(room) == {}, "whoever dropped the task does not care"


def test_an_audit_tells_of_issues_whose_state_is_another(workspace: Workspace, room: Tasks) -> None:
    milestones = workspace.room("milestones")
    issue = milestones.create(IssueDraft(kind="issue", title="Parser")).entity
    room.create([Draft("One", links=[TaskLink("issue", issue), TaskLink("issue", "#12")])], ME)
    assert audited(room) == {}, "both are open, and the number is one of another tracker"
    milestones.set_status(issue, "closed")
    assert audited(room) == {"ISSUE_DRIFT": [f"TP-1: It is backlog, but its issue {issue} is closed."]}
    room.update("TP-1", Change(set={"status": "in-progress"}), ME)
    room.update("TP-1", Change(set={"status": "done"}), ME)
    assert audited(room, scope="tasks") == {}
    milestones.set_status(issue, "open")
    assert audited(room) == {"ISSUE_DRIFT": [f"TP-1: It is done, but its issue {issue} is open."]}


def test_a_link_by_its_address_needs_neither_kind_nor_name(workspace: Workspace, room: Tasks) -> None:
    name = comment_on(workspace, 5, "Rename this")
    issue = workspace.room("milestones").create(IssueDraft(kind="issue", title="Parser")).entity
    addresses = [
        f"comment://workspace/src/app.py.comments#{name}",
        f"git-mile://entity/{issue}",
        "taskpilot://workspace/ws/tasks/TP-1",
        "https://example.org/a",
    ]
    add(room, AddTasks(title="One", links=[LinkIn(uri=uri) for uri in addresses]))
    links = look(room, "TP-1", peek=True).task.links or ()
    assert {(link.kind, link.ref) for link in links} == {
        ("comment", f"src/app.py#{name}"),
        ("issue", issue),
        ("task", "TP-1"),
        ("url", "https://example.org/a"),
    }
    for link in (LinkIn(), LinkIn(kind="comment"), LinkIn(uri="gopher://nowhere")):
        with pytest.raises(InvalidArguments):
            add(room, AddTasks(title="Two", links=[link]))


def test_a_link_to_what_is_not_there_is_refused(workspace: Workspace, room: Tasks) -> None:
    room.create([Draft("One")], ME)
    missing = [
        LinkIn(kind="comment", ref="src/app.py#c_1"),
        LinkIn(kind="comment", ref="src/nowhere.py#c_1"),
        LinkIn(uri="git-mile://entity/deadbeef"),
        LinkIn(kind="issue", ref="deadbeef"),
    ]
    for link in missing:
        with pytest.raises(NotFound, match="to link to"):
            add(room, AddTasks(title="Two", links=[link]))
        with pytest.raises(NotFound, match="to link to"):
            create_task(room, CreateTask(title="Two", links=[link]))
        with pytest.raises(NotFound, match="to link to"):
            update(room, UpdateTask(task_id="TP-1", add=TaskItems(links=[link])))
    for other in ("#12", "12", "KELP-7", "kelp/net#12"):
        update(room, UpdateTask(task_id="TP-1", add=TaskItems(links=[LinkIn(kind="issue", ref=other)])))


def test_what_focus_says_is_to_be_checked_can_be_checked_as_it_says_so(room: Tasks) -> None:
    room.create([Draft("One", criteria=["Nets dry", "Boat painted"])], ME)
    to_check = look(room, "TP-1").to_check
    assert to_check == [1, 2]
    update(room, UpdateTask(task_id="TP-1", check=[to_check[0], "Boat painted"]))
    assert look(room, "TP-1").to_check is None


def test_an_audit_tells_of_tasks_that_another_tracker_has_in_another_state(room: Tasks) -> None:
    task = room.create([Draft("One")], ME)[0][0]
    store_connected(room, "kelp", "github", {})
    store_counterparts(room, "kelp", Counterpart("12", task.uid, None, {}, {"status": "in-progress"}))
    assert audited(room) == {}
    store_counterparts(room, "kelp", Counterpart("12", task.uid, None, {}, {"status": "done"}))
    told = "TP-1: It is backlog, but 12 of kelp was done when last read."
    assert audited(room) == {"ISSUE_DRIFT": [told]}
