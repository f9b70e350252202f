"""The log: one commit for each write, durable, idempotent by request, and nothing else touched."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from holdfast.kernel.errors import Conflict, HoldfastError, InvalidArguments, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import EntityDraft, ImportedComment
from holdfast.milestones.index.lookup import AmbiguousEntity, UnknownEntity
from holdfast.milestones.index.query import EVERYTHING, EntityQuery, SortKey, ready_query
from holdfast.milestones.log.entry import derived_id
from holdfast.milestones.store import Milestones
from tests.milestones.clones import (
    TurnedClock,
    everything,
    fingerprint_of_work,
    git,
    issue,
    new_repository,
    opened,
    room_at,
    titles,
)
from tests.reliability.evidence import Tally


@pytest.fixture
def room(repository: Path) -> Iterator[Milestones]:
    with opened(repository) as room:
        yield room


def log_of(path: Path, form: str) -> list[str]:
    refs = git(path, "for-each-ref", "--format=%(refname)", "refs/holdfast/log/").split()
    return [line for ref in refs for line in git(path, "log", f"--format={form}", ref).splitlines()]


def test_each_write_is_one_commit_with_an_empty_tree_and_canonical_lines(repository: Path, room: Milestones):
    name = issue(room, "Broken", labels=("bug",), comments=("First",))
    room.change(name, fields={"title": "Mended", "assignee": "Bea"}, add={"labels": ["done"]}, comment="So")
    commits = log_of(repository, "%T %an <%ae> %s")
    empty = git(repository, "hash-object", "-t", "tree", "/dev/null").strip()
    assert commits == [
        f"{empty} Ada <ada@example.org> issue {name[:8]}: set title and 3 more",
        f"{empty} Ada <ada@example.org> issue {name[:8]}: create and 1 more",
    ]
    lines = [line for line in log_of(repository, "%B") if line.startswith("{")]
    assert len(lines) == 6
    for line in lines:
        assert line == json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"))
    assert json.loads(lines[0])["by"] == "Ada <ada@example.org>"
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""


def test_an_entity_has_what_was_written(room: Milestones):
    milestone = room.create(EntityDraft("milestone", "Alpha", description="The first")).entity
    other = issue(room, "Needed first")
    name = issue(
        room,
        "Broken",
        description="It is",
        labels=("b", "a"),
        assignee="Bea",
        due="2026-07-01",
        milestone=milestone,
        dependencies=(other,),
        links=("https://example.org/1",),
        status="draft",
    )
    comment = room.comment(name, "Why?", actor="Bea <bea@example.org>")
    room.comment(name, "Because.", reply_to=comment.operation)
    entity = room.get("issue", name)
    assert (entity.title, entity.description, entity.status) == ("Broken", "It is", "draft")
    assert (entity.labels, entity.dependencies, entity.links) == (
        ("a", "b"),
        (other,),
        ("https://example.org/1",),
    )
    assert (entity.assignee, entity.due, entity.milestone) == ("Bea", "2026-07-01", milestone)
    assert [(one.author, one.body, one.reply_to) for one in entity.comments] == [
        ("Bea <bea@example.org>", "Why?", None),
        ("Ada <ada@example.org>", "Because.", comment.operation),
    ]
    assert room.get("milestone", milestone).open_issues == 0
    room.set_status(name, "open")
    assert room.get("milestone", milestone).open_issues == 1
    assert [event.action for event in room.history(name)] == ["create", "comment", "comment", "set"]
    assert room.recent(2)[0].action == "set"
    assert len(room.recent(100, before=(room.recent(1)[0].order, room.recent(1)[0].id))) == 5


def test_what_is_so_already_is_not_written_again(repository: Path, room: Milestones):
    name = issue(room, labels=("bug",))
    before = log_of(repository, "%H")
    assert not room.set_status(name, "open").changed
    assert not room.change(name, add={"labels": ["bug"]}).changed
    assert not room.change(name, remove={"labels": ["unknown"]}).changed
    assert not room.set(name, "assignee", None).changed
    assert not room.release(name).changed
    assert log_of(repository, "%H") == before


def test_the_same_request_is_carried_out_once(repository: Path, room: Milestones):
    draft = EntityDraft("issue", "Once", request="r-1")
    first = room.create(draft)
    again = room.create(draft)
    assert (again.entity, again.operations, again.repeated) == (first.entity, first.operations, True)
    said = room.comment(first.entity, "Hm", request="r-2")
    with opened(repository) as other:
        assert other.comment(first.entity, "Hm", request="r-2").operations == said.operations
    assert len(room.get("issue", first.entity).comments) == 1
    with pytest.raises(Conflict):
        room.comment(first.entity, "Something else", request="r-2")


def test_comments_are_edited_and_deleted_and_history_keeps_them(room: Milestones):
    name = issue(room)
    comment = str(room.comment(name, "Frist").operation)
    room.edit_comment(name, comment, "First")
    assert room.get("issue", name).comments[0].body == "First"
    room.delete_comment(name, comment)
    assert room.get("issue", name).comments[0].deleted
    values = [event.value for event in room.history(name)[1:]]
    assert values == ["Frist", "First", None]
    with pytest.raises(NotFound):
        room.edit_comment(name, "0000", "x")


@pytest.mark.parametrize(
    "draft",
    [
        EntityDraft("issue", " "),
        EntityDraft("issue", "x" * (LIMITS.entity_title_characters + 1)),
        EntityDraft("issue", "x", description="y" * (LIMITS.entity_text_characters + 1)),
        EntityDraft("issue", "x", status="finished"),  # type: ignore[arg-type]
        EntityDraft("issue", "x", due="tomorrow"),
        EntityDraft("issue", "x", milestone="alpha"),
        EntityDraft("issue", "x", labels=("",)),
        EntityDraft("issue", "x", dependencies=("1234",)),
        EntityDraft("issue", "bytes \udcff"),
        EntityDraft("issue", "x", comments=(" ",)),
        EntityDraft("issue", "x", id="not-a-uuid"),
        EntityDraft("issue", "x", request="r" * (LIMITS.request_characters + 1)),
    ],
    ids=lambda draft: repr(draft)[:60],
)
def test_what_cannot_be_stored_is_refused_and_nothing_is_written(
    repository: Path, room: Milestones, draft: EntityDraft
):
    with pytest.raises(InvalidArguments) as caught:
        room.create(draft)
    assert caught.value.hint
    assert git(repository, "for-each-ref") == ""


def test_texts_at_their_limits_survive(room: Milestones):
    body = 'é"\\\n\u2028\x00' * (LIMITS.entity_text_characters // 6)
    name = issue(room, "x" * LIMITS.entity_title_characters, description=body, comments=(body,))
    entity = room.get("issue", name)
    assert (entity.description, entity.comments[0].body) == (body, body)


def test_names_are_full_ids_or_unmistakable_beginnings(room: Milestones):
    one, two = "aaaa0000-0000-4000-8000-000000000001", "aaaa0000-0000-4000-8000-000000000002"
    issue(room, "One", id=one)
    issue(room, "Two", id=two)
    assert room.get("issue", one.upper()).title == "One"
    assert room.get(None, one).id == one
    with pytest.raises(AmbiguousEntity, match="Several") as ambiguous:
        room.get("issue", "aaaa")
    assert one in str(ambiguous.value.hint)
    for name in ("aaa", "bbbb", "zzzz", "", one[:-1] + "3"):
        with pytest.raises(UnknownEntity):
            room.get("issue", name)
    with pytest.raises(UnknownEntity, match="an issue, not a milestone"):
        room.get("milestone", one)
    with pytest.raises(Conflict):
        room.create(EntityDraft("issue", "Again", id=one))


@pytest.mark.requirement("reliability-C4")
@pytest.mark.evidence("C4", "milestones", "a clock that jumps back and ahead, and stands still", every=True)
@pytest.mark.evidence("C4", "milestones", control="orders by the time of day")
def test_a_clock_that_jumps_changes_neither_order_nor_uniqueness(repository: Path, tally: Tally):
    clock = TurnedClock()
    with closing(room_at(repository, clock=clock)) as room:
        name = issue(room, "First")
        clock.turn(days=-365)
        room.set(name, "title", "Second")
        clock.turn(days=3650)
        room.set(name, "title", "Third")
        clock.turn(days=-3650)
        for number in range(5):
            room.comment(name, f"In one millisecond {number}")
        entity = room.get("issue", name)
        assert entity.title == "Third"
        assert [comment.body[-1] for comment in entity.comments] == list("01234")
        by_time = sorted(room.history(name), key=lambda event: event.time)
        tally(1, int(by_time != list(room.history(name))), of="orders by the time of day")
        assert len({event.id for event in room.history(name)}) == 8
    dates = [int(date) for date in log_of(repository, "%ct")]
    assert dates == sorted(set(dates), reverse=True), "committer dates strictly increase"


def test_a_claim_is_exclusive_until_its_lease_ends_or_it_is_released(repository: Path):
    clock = TurnedClock()
    with closing(room_at(repository, clock=clock)) as room:
        name = issue(room)
        room.claim(name, actor="One <1>", lease=timedelta(minutes=10))
        with pytest.raises(Conflict, match="claimed this until 2026-06-01T12:10:00Z"):
            room.claim(name, actor="Two <2>")
        room.claim(name, actor="One <1>", lease=timedelta(minutes=20))
        clock.turn(minutes=15)
        with pytest.raises(Conflict):
            room.claim(name, actor="Two <2>")
        clock.turn(minutes=6)
        room.claim(name, actor="Two <2>")
        holder = room.get("issue", name).holder(room.now())
        assert holder is not None
        assert holder.actor == "Two <2>"
        room.release(name, actor="Two <2>")
        assert room.get("issue", name).claims == ()


def test_claiming_what_is_closed_says_so(room: Milestones):
    name = issue(room)
    room.set_status(name, "closed")
    with pytest.raises(Conflict, match="This issue is closed") as caught:
        room.claim(name)
    assert "open it again" in str(caught.value.hint)
    assert room.get("issue", name).claims == ()


WRITES: dict[str, Callable[[Milestones, str], object]] = {
    "create": lambda room, name: issue(room, "New"),
    "set": lambda room, name: room.set(name, "title", "Other"),
    "label": lambda room, name: room.change(name, add={"labels": ["bug"]}),
    "comment": lambda room, name: room.comment(name, "Hm"),
    "close": lambda room, name: room.set_status(name, "closed"),
    "claim": lambda room, name: room.claim(name),
    "import": lambda room, name: room.import_drafts([EntityDraft("issue", "Many") for _ in range(5)]),
    "list": lambda room, name: room.find(EntityQuery("issue")),
    "show": lambda room, name: room.get("issue", name),
    "doctor": lambda room, name: room.check(),
    "sync": lambda room, name: room.sync(),
}


@pytest.mark.requirement("milestones-55")
@pytest.mark.parametrize("write", WRITES)
def test_status_index_branches_and_work_tree_are_never_touched(
    repository: Path, room: Milestones, tmp_path: Path, write: str
):
    (repository / "a.txt").write_text("kept\n")
    git(repository, "add", "a.txt")
    git(repository, "commit", "--quiet", "--message", "First")
    (repository / "a.txt").write_text("changed\n")
    (repository / "b.txt").write_text("untracked\n")
    git(repository, "remote", "add", "origin", str(new_repository(tmp_path / "hub", "--bare")))
    git(repository, "push", "--quiet", "origin", "main")
    git(repository, "status")
    name = issue(room)
    before = fingerprint_of_work(repository)
    hub = git(tmp_path / "hub", "for-each-ref", "refs/heads")
    WRITES[write](room, name)
    assert fingerprint_of_work(repository) == before
    assert git(tmp_path / "hub", "for-each-ref", "refs/heads") == hub


@pytest.mark.requirement("milestones-53")
def test_worktrees_share_one_log(repository: Path, room: Milestones, tmp_path: Path):
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "First")
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    name = issue(room, "From the main work tree")
    with opened(tmp_path / "linked") as linked:
        linked.comment(name, "From the linked one")
        assert titles(linked) == ["From the main work tree"]
    assert room.get("issue", name).comment_count == 1
    assert len(git(repository, "for-each-ref", "refs/holdfast/").splitlines()) == 1


@pytest.mark.requirement("milestones-53")
@pytest.mark.parametrize(
    "options", [["--bare"], ["--object-format=sha256"], ["--bare", "--object-format=sha256"]]
)
def test_bare_and_sha256_repositories_work(home: Path, tmp_path: Path, options: list[str]):
    path = new_repository(tmp_path / "other", *options)
    with opened(path) as room:
        name = issue(room, "Anywhere")
        room.comment(name, "Hm")
        room.import_drafts([EntityDraft("issue", "Imported")])
        git(path, "pack-refs", "--all")
        git(path, "gc", "--quiet")
        room.comment(name, "After packing")
        assert room.get("issue", name).comment_count == 2
        assert titles(room) == ["Anywhere", "Imported"]
    assert git(path, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.requirement("milestones-53")
def test_reftable_repositories_work_where_git_knows_them(home: Path, tmp_path: Path):
    made = subprocess.run(
        ["git", "init", "--quiet", "--ref-format=reftable", str(tmp_path / "r")],
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        version = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.strip()
        pytest.skip(f"{version} cannot create a reftable repository")
    with opened(tmp_path / "r") as room:
        name = issue(room, "In a table")
        room.comment(name, "Hm")
        assert room.get("issue", name).comment_count == 1


@pytest.mark.requirement("milestones-51", "milestones-53")
def test_refs_that_this_git_cannot_read_are_an_error_and_never_an_empty_answer(repository: Path):
    with opened(repository) as room:
        issue(room)
        version = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout
        (repository / ".git" / "reftable").mkdir()
        git_knows_reftable = tuple(int(part) for part in version.split()[2].split(".")[:2]) >= (2, 45)
        if not git_knows_reftable:
            git(repository, "config", "core.repositoryFormatVersion", "1")
            git(repository, "config", "extensions.refStorage", "reftable")
            with pytest.raises(HoldfastError, match="git"):
                room.find(EntityQuery("issue"))


@pytest.mark.requirement("milestones-53")
def test_a_repository_without_a_user_name_works(home: Path, tmp_path: Path):
    path = new_repository(tmp_path / "nameless")
    with opened(path) as room:
        name = issue(room)
        assert room.get("issue", name).author.endswith(" <>")
        assert len(room.get("issue", name).author) > len(" <>")


@pytest.mark.parametrize("actor", ["", "\n", "x" * 300, "\x1b[31m"])
def test_a_name_that_is_none_is_refused(room: Milestones, actor: str):
    with pytest.raises(InvalidArguments):
        room.create(EntityDraft("issue", "x"), actor=actor)


def test_a_log_that_somebody_died_with_is_left_and_another_one_begun(repository: Path, room: Milestones):
    name = issue(room)
    (ref,) = git(repository, "for-each-ref", "--format=%(refname)", "refs/holdfast/log/").split()
    lock = repository / ".git" / f"{ref}.lock"
    lock.touch()
    room.comment(name, "Goes on")
    room.comment(name, "And on")
    assert room.get("issue", name).comment_count == 2
    assert lock.exists()
    assert len(git(repository, "for-each-ref", "refs/holdfast/log/").splitlines()) == 2


def test_an_import_brings_authors_and_times_once(room: Milestones):
    drafts = [
        EntityDraft(
            "issue",
            f"Old {number}",
            author="Bea <bea@example.org>",
            time="2020-01-02T03:04:05Z",
            comments=(ImportedComment("Cy <cy@example.org>", "2020-02-03T04:05:06Z", "Said long ago"),),
            **identity,  # type: ignore[arg-type]
        )
        for number, identity in enumerate(({"request": "source#1"}, {"id": derived_id("source", "2")}))
    ]
    first = room.import_drafts([*drafts, *drafts])
    assert [receipt.changed for receipt in first] == [True, True, False, False]
    again = room.import_drafts(drafts)
    assert [receipt.entity for receipt in again] == [receipt.entity for receipt in first[:2]]
    entity = room.get("issue", first[0].entity)
    assert (entity.author, entity.created, entity.updated) == (
        "Bea <bea@example.org>",
        "2020-01-02T03:04:05Z",
        "2020-02-03T04:05:06Z",
    )
    assert entity.comments[0].author == "Cy <cy@example.org>"


def test_an_import_dates_no_commit_into_the_future(repository: Path, room: Milestones):
    room.import_drafts(EntityDraft("issue", f"First {number}") for number in range(50))
    assert len(log_of(repository, "%H")) == 50
    room.import_drafts(EntityDraft("issue", f"Second {number}") for number in range(2000))
    dates = [int(date) for date in log_of(repository, "%ct")]
    assert dates == sorted(set(dates), reverse=True)
    assert dates[0] <= time.time() + 10
    assert len(room.find(EntityQuery("issue", limit=3000)).items) == 2050


def test_an_import_writes_no_commit_that_readers_pass_over(
    repository: Path, room: Milestones, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(vars(LIMITS), "log_commit_bytes", 80_000)
    issue(room, "Just now")
    comments = tuple("word " * 1000 for _ in range(40))
    room.import_drafts(EntityDraft("issue", f"Large {number}", comments=comments) for number in range(2))
    for path in (repository / ".git" / "holdfast").glob("milestones*.sqlite*"):
        path.unlink()
    assert sorted(item.comment_count for item in room.find(EntityQuery("issue")).items) == [0, 40, 40]
    assert room.check() == []


def test_operations_carried_over_as_lines_make_the_same_entities(room: Milestones, tmp_path: Path):
    name = issue(room, labels=("bug",))
    room.comment(name, "Hm")
    room.set(name, "title", "Other")
    with opened(new_repository(tmp_path / "copy")) as copy:
        lines = list(room.operations())
        assert copy.import_operations([*lines, *lines, "nonsense"]) == 3
        assert copy.import_operations(lines) == 0
        assert everything(copy) == everything(room)


def test_what_is_made_within_one_second_lists_in_the_order_made(repository: Path):
    with closing(room_at(repository, clock=TurnedClock())) as room:
        names = [issue(room, f"Issue {number}") for number in range(12)]
        oldest_first = (SortKey("created"),)
        for _ in range(2):
            assert [item.id for item in room.find(EntityQuery("issue")).items] == names[::-1]
            assert [item.id for item in room.find(EntityQuery("issue", sort=oldest_first)).items] == names
            query = EntityQuery("issue", sort=oldest_first, limit=5)
            second = room.find(query._replace(after=room.find(query).next))
            assert [item.id for item in second.items] == names[5:10]
            for path in (repository / ".git" / "holdfast").glob("milestones*.sqlite*"):
                path.unlink()
        ready = room.find(ready_query(room.now(), 50))
        assert [item.id for item in ready.items] == names
        room.comment(names[0], "Hm")
        assert room.find(EntityQuery("issue")).items[0].id == names[0], (
            "and what was updated last comes first"
        )


def test_pages_follow_each_other_without_gap_or_repeat_in_every_order(room: Milestones):
    room.import_drafts(
        EntityDraft(
            "issue",
            f"T{number % 3}",
            time=f"2026-01-0{1 + number % 4}T00:00:00Z",
            status="open" if number % 5 else "draft",
        )
        for number in range(23)
    )
    orders = [
        (SortKey("updated", descending=True),),
        (SortKey("title"), SortKey("created", descending=True)),
        (SortKey("status", descending=True), SortKey("title", descending=True)),
        (SortKey("comments"), SortKey("due")),
        (SortKey("id", descending=True),),
    ]
    whole = {item.id for item in room.find(EntityQuery("issue", limit=100)).items}
    for sort in orders:
        seen, position = [], None
        while True:
            page = room.find(EntityQuery("issue", sort=sort, limit=4, after=position))
            seen += [item.id for item in page.items]
            position = page.next
            if position is None:
                break
        assert len(seen) == 23
        assert set(seen) == whole
        assert seen == [item.id for item in room.find(EntityQuery("issue", sort=sort, limit=100)).items]
    assert room.count("issue", EVERYTHING) == 23
    with pytest.raises(InvalidArguments, match="sort key"):
        room.find(EntityQuery("issue", sort=(SortKey("colour"),)))
    with pytest.raises(InvalidArguments):
        room.find(EntityQuery("issue", limit=0))
