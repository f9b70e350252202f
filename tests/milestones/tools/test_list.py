"""Lists: filters, orders, pages and cursors against the real index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel.errors import Invalid, InvalidCursor
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.paging import encode_cursor
from holdfast.milestones.entity import EntityDraft, Kind
from holdfast.milestones.filter.parser import parse_filter
from holdfast.milestones.filter.sql import compile_filter
from holdfast.milestones.index import query as queries
from holdfast.milestones.index.query import Condition, EntityQuery
from holdfast.milestones.store import Milestones
from holdfast.milestones.tools.list import ListEntities, MilePage, build_query, list_entities
from holdfast.storage.git.repository import Repository
from tests.milestones.filter.predicate import Subject, holds
from tests.milestones.filter.texts import filters
from tests.reliability.samples import examples

NOW = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
PEOPLE = ("Ada <ada@example.org>", "Grace <grace@example.org>", "ss <%_@x>")


def drafts() -> Iterator[EntityDraft]:
    """Yield entities that differ in everything a filter can ask."""
    titles = ["bug", "Bug report", "Straße", "STRASSE", "a b", "100%_done", "É", "e\u0301", "Ada", "null"]
    for number in range(3):
        yield EntityDraft(
            "milestone", ["Alpha", "bug", "É"][number], labels=("bug",)[:number], id=_id(900 + number)
        )
    for number in range(40):
        yield EntityDraft(
            "issue",
            titles[number % len(titles)],
            ["", "a b and BUG", "ß"][number % 3],
            ("draft", "open", "closed")[number % 3],
            labels=tuple({"bug", "BUG", "a b", "é", "ß-label"} if number % 4 == 0 else {"bug"})[: number % 3],
            assignee=[None, *PEOPLE][number % 4],
            due=[None, "2023-11-01", "2023-11-10", "0001-01-01", "9999-12-31"][number % 5],
            milestone=[None, _id(900), _id(901)][number % 3],
            comments=("bug here", "ß")[: number % 3],
            author=PEOPLE[number % 3],
            time=f"2023-11-{1 + number % 14:02}T12:00:0{number % 2}Z",
            id=_id(number),
        )


def _id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Milestones]:
    import subprocess

    path = tmp_path_factory.mktemp("listing")
    subprocess.run(["git", "init", "--quiet", path], check=True)
    room = Milestones(Repository.discover(path), clock=lambda: NOW)
    room.import_drafts(list(drafts()))
    yield room
    room.close()


@pytest.fixture(scope="module")
def subjects(room: Milestones) -> dict[Kind, list[Subject]]:
    """Every entity as the predicate sees it, by kind."""
    titles = {_id(900): "Alpha", _id(901): "bug"}
    found: dict[Kind, list[Subject]] = {"issue": [], "milestone": []}
    for draft in drafts():
        entity = room.get(draft.kind, draft.id or "")
        found[draft.kind].append(Subject(entity, titles.get(entity.milestone or "")))
    return found


def found_by_index(room: Milestones, kind: Kind, sql: Condition) -> set[str]:
    page = room.find(EntityQuery(kind, condition=sql, include_closed=True, limit=500))
    return {item.id for item in page.items}


@settings(max_examples=examples(400))
@given(data=st.data(), kind=st.sampled_from(["issue", "milestone"]))
def test_the_index_finds_exactly_what_the_filter_means(
    room: Milestones, subjects: dict[Kind, list[Subject]], data: st.DataObject, kind: Kind
) -> None:
    text = data.draw(filters(kind))
    expression = parse_filter(text, kind, NOW.timestamp())
    assert expression is not None
    sql, values = compile_filter(expression)
    meant = {subject.entity.id for subject in subjects[kind] if holds(expression, subject)}
    assert found_by_index(room, kind, Condition(sql, tuple(values))) == meant


def test_the_longest_chain_of_comparisons_is_within_what_the_index_can_take(room: Milestones) -> None:
    text = "&&".join(["id~0"] * 682)
    assert len(text) < 4096
    assert len(ask(room, filter=text, includeClosed=True, limit=500).items) == 40


def ask(room: Milestones, **arguments: object) -> MilePage:
    return list_entities(room, ListEntities.model_validate({"entity": "issue", **arguments}))


@pytest.mark.requirement("milestones-13", "milestones-18")
def test_closed_ones_are_hidden_unless_asked_for(room: Milestones) -> None:
    assert {item.status for item in ask(room, limit=500).items} == {"draft", "open"}
    every = ask(room, limit=500, includeClosed=True).items
    assert {item.status for item in every} == {"draft", "open", "closed"}
    assert {item.status for item in ask(room, filter='status == "open"').items} == {"open"}


def test_asking_for_closed_ones_while_hiding_them_is_answered_with_a_hint(room: Milestones) -> None:
    page = ask(room, filter="status == closed")
    assert page.items == []
    assert "includeClosed" in (page.hint or "")
    assert ask(room, filter="status == closed", includeClosed=True).hint is None


@pytest.mark.requirement("milestones-14", "milestones-15")
@pytest.mark.parametrize(
    "sort", [["updated:desc"], ["status", "title:desc"], ["comments:desc", "created"], ["due"]]
)
def test_items_come_in_the_order_of_the_keys(room: Milestones, sort: list[str]) -> None:
    ranks = {"draft": 0, "open": 1, "closed": 2}
    keys = {
        "updated": lambda e: e.updated,
        "created": lambda e: e.created,
        "status": lambda e: ranks[e.status],
        "title": lambda e: e.title.casefold(),
        "comments": lambda e: e.comment_count,
        "due": lambda e: e.due or "9999-99-99",
    }
    names = [item.id for item in ask(room, sort=sort, limit=500, includeClosed=True).items]
    entities = [room.get("issue", name) for name in names]
    expected = sorted(entities, key=lambda e: e.id, reverse=sort[-1].endswith(":desc"))
    for word in reversed(sort):
        name, _, order = word.partition(":")
        expected.sort(key=keys[name], reverse=order == "desc")
    assert names == [entity.id for entity in expected]


@pytest.mark.requirement("milestones-16", "milestones-17", "milestones-23")
@pytest.mark.parametrize(
    "sort", [None, ["title"], ["status:desc", "comments"], ["id"], ["due:desc", "title"]]
)
@pytest.mark.parametrize("limit", [1, 7, 40])
def test_pages_follow_each_other_without_gap_or_repeat(
    room: Milestones, sort: list[str] | None, limit: int
) -> None:
    whole = [item.id for item in ask(room, sort=sort, limit=500, includeClosed=True).items]
    gathered: list[str] = []
    cursor = None
    while True:
        page = ask(room, sort=sort, limit=limit, includeClosed=True, cursor=cursor)
        assert len(page.items) <= limit
        gathered += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert gathered == whole
    assert len(whole) == 40


def test_a_page_that_begins_while_others_write_repeats_nothing(repository: Path) -> None:
    room = Milestones(Repository.discover(repository), clock=lambda: NOW)
    room.import_drafts(EntityDraft("issue", f"{number}", id=_id(number)) for number in range(6))
    first = ask(room, sort=["title"], limit=3)
    room.create(EntityDraft("issue", "0 new"))
    rest = ask(room, sort=["title"], limit=10, cursor=first.next_cursor)
    assert [item.title for item in (*first.items, *rest.items)] == ["0", "1", "2", "3", "4", "5"]
    room.close()


@pytest.mark.requirement("milestones-32")
@pytest.mark.parametrize(
    "other",
    [{"filter": "status == draft"}, {"sort": ["title"]}, {"includeClosed": True}, {"entity": "milestone"}],
)
def test_a_cursor_belongs_to_its_query(room: Milestones, other: dict[str, object]) -> None:
    cursor = ask(room, limit=2).next_cursor
    with pytest.raises(InvalidCursor, match="another query"):
        ask(room, limit=2, cursor=cursor, **other)
    assert cursor is not None
    with pytest.raises(InvalidCursor, match="damaged"):
        ask(room, limit=2, cursor=cursor[:-1])


@pytest.mark.parametrize(
    "key", [None, 5, [], ["a"], [True, "x"], [2**70, "x"], [{}, "x"], [1.5, "x"], [None, "x"]]
)
def test_a_cursor_that_is_well_made_but_not_ours_is_refused(room: Milestones, key: object) -> None:
    forged = encode_cursor(repr(("git_mile.list", "issue", "", ["updated:True"], False)), key)
    with pytest.raises(InvalidCursor, match="damaged"):
        ask(room, cursor=forged)


def test_a_limit_above_the_largest_page_is_cut_and_said(room: Milestones) -> None:
    page = ask(room, limit=501)
    assert "at most 500" in (page.hint or "")
    query, _ = build_query(ListEntities(entity="issue", limit=501), NOW.timestamp())
    assert query.limit == 500


def test_without_a_limit_a_page_has_fifty_items(repository: Path) -> None:
    room = Milestones(Repository.discover(repository))
    room.import_drafts(EntityDraft("issue", f"{number}") for number in range(51))
    page = ask(room)
    assert (len(page.items), page.next_cursor is None) == (50, False)
    room.close()


def test_ages_count_back_from_now(repository: Path) -> None:
    room = Milestones(Repository.discover(repository))
    now = datetime.now(UTC)
    for days in (1, 10):
        moment = (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        room.import_drafts([EntityDraft("issue", f"{days} days", time=moment)])
    assert [item.title for item in ask(room, filter="created > 7d").items] == ["1 days"]
    assert [item.title for item in ask(room, filter="created < 7d").items] == ["10 days"]
    room.close()


def test_sort_keys_that_make_no_sense_are_refused(room: Milestones) -> None:
    for word in ("", ":", "title:", "title:asc:desc", "open_issues", "TITLE:up"):
        if word == "title:":
            assert ask(room, sort=[word], limit=1).items
        else:
            with pytest.raises(Invalid, match="is not a"):
                ask(room, sort=[word])


@pytest.mark.requirement("milestones-16", "milestones-17", "milestones-23")
def test_a_page_that_would_be_too_large_ends_early_and_the_next_one_goes_on(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cursor is null exactly when nothing follows, however the pages were cut."""
    with closing(Milestones.open(Repository.at(repository))) as room:
        room.import_drafts([EntityDraft("issue", f"{number} {'x' * 90}") for number in range(23)])
        whole = [item.id for item in ask(room, limit=500).items]
        for budget in (1, 250, 1000, 5000):
            monkeypatch.setattr(queries, "LIMITS", replace(LIMITS, entity_page_characters=budget))
            for limit in (1, 7, 23, 500):
                pages = list(all_pages(room, limit))
                assert [name for page in pages for name in page] == whole
                assert all(pages), "no page is empty"
                assert max(map(len, pages)) <= max(1, min(limit, budget // 90))


def all_pages(room: Milestones, limit: int) -> Iterator[list[str]]:
    cursor = None
    while True:
        page = ask(room, limit=limit, **({} if cursor is None else {"cursor": cursor}))
        yield [item.id for item in page.items]
        if (cursor := page.next_cursor) is None:
            return
