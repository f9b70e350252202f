"""The filter language: what it accepts, what it means, and how it says what it cannot read."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel.errors import Invalid
from holdfast.milestones.entity import Entity, EntityComment
from holdfast.milestones.filter.parser import parse_filter
from tests.milestones.filter.predicate import Subject, holds
from tests.milestones.filter.texts import texts_like_filters
from tests.reliability.samples import examples

NOW = 1_700_000_000.0  # 2023-11-14T22:13:20Z


def entity(**more: Any) -> Entity:
    facts = {
        "id": "8903a9b6-0000-7000-8000-000000000001",
        "kind": "issue",
        "title": "Größe of the Panel",
        "status": "open",
        "author": "Ada <ada@example.org>",
        "created": "2023-11-01T12:00:00Z",
        "updated": "2023-11-10T12:00:00Z",
        "description": "Too big",
        "labels": ("bug", "area/backend"),
        "due": "2023-12-01",
        "milestone": "c8d4b0a2-0000-7000-8000-000000000002",
        "comments": (
            EntityComment("c1", "Grace <grace@example.org>", "Seen in Straße", "2023-11-02T00:00:00Z"),
        ),
    }
    return Entity(**{**facts, **more})


def matches(text: str, **more: Any) -> bool:
    found = parse_filter(text, "issue", NOW)
    assert found is not None
    return holds(found, Subject(entity(**more), milestone_title="Milestone Alpha"))


@pytest.mark.requirement("milestones-13")
@pytest.mark.parametrize(
    "text",
    [
        'status == "open"',
        "status = open",
        "status != closed",
        "status in [draft, 'open']",
        "status not in [closed]",
        "not status == closed",
        "! (status == closed)",
        "title contains 'größe OF'",
        "title ~ PANEL and description ~ big",
        'title == "Größe of the Panel"',
        "title not contains 'xyz'",
        "text ~ STRASSE",
        "label = bug",
        "labels contains BACK",
        "label in [nothing, area/backend]",
        "label != urgent && label not in [urgent]",
        "author = Ada",
        "author = ada@example.org",
        "author == 'Ada <ada@example.org>'",
        "author contains example.ORG",
        "assignee = null",
        "assignee == null or assignee = Ada",
        "milestone = 'Milestone Alpha'",
        "milestone = c8d4b0a2-0000-7000-8000-000000000002",
        "milestone ~ alpha and milestone != null",
        "created == 2023-11-01",
        "created >= 2023-11-01 and created < 2023-11-02",
        "created = '2023-11-01T13:00:00+01:00'",
        "updated > 7d and updated <= 12h",
        "due > 2023-11-30 and due <= 2023-12-01",
        "comments > 0 and comments in [1, 2] and has_comments",
        "has_comments == true and has_comments != false",
        "status == draft || status == open",
        "status == closed or status == open and label = bug",
        "id ~ 8903A9B6",
        "updated_at > 1w and created_at < 1d",
        '(= status "open")',
        '(and (= status "open") (in labels "bug" "urgent"))',
        '(contains labels "bug" "area/backend")',
        '(not (contains labels "BUG"))',
        '(!= labels "urgent" "wontfix")',
        '(or (contains title "größe") (= has_comments "yes"))',
    ],
)
def test_a_filter_finds_what_it_describes(text: str) -> None:
    assert matches(text)


@pytest.mark.parametrize(
    "text",
    [
        "status == closed",
        "title == 'größe of the panel'",
        "label = BUG",
        "label = back",
        "labels = null",
        "milestone = null",
        "milestone = Alpha",
        "author = Grace",
        "comments > 1",
        "not has_comments",
        "created == 2023-10-31",
        "updated > 12h",
        "due < 2023-12-01",
        "status == closed or (status == open and label = urgent)",
        '(contains labels "bug" "urgent")',
        '(and (= status "open") (= title "x"))',
    ],
)
def test_a_filter_leaves_out_what_it_does_not_describe(text: str) -> None:
    assert not matches(text)


def test_what_has_no_due_date_is_neither_before_nor_after_a_day() -> None:
    assert not matches("due < 2099-01-01", due=None)
    assert not matches("due > 2000-01-01", due=None)
    assert matches("due != 2000-01-01 and due = null", due=None)


@pytest.mark.requirement("milestones-43")
def test_a_quoted_text_may_hold_quotes_backslashes_and_any_letter() -> None:
    assert matches(r'title == "a \"b\" \\ \u00e9 \n 日本"', title='a "b" \\ é \n 日本')
    assert matches(r"title == 'it\'s'", title="it's")


def test_an_empty_filter_asks_for_nothing() -> None:
    assert parse_filter("", "issue", NOW) is None
    assert parse_filter(" \t\n", "issue", NOW) is None


@pytest.mark.requirement("milestones-32")
@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("statu == open", 1, 'Did you mean "status"?'),
        ("colour == red", 1, "Fields: id, title, description, text, status"),
        ("open_issues > 1", 1, "is not a field of issues"),
        ("status == opne", 11, "Write one of: draft, open, closed."),
        ("status < open", 8, "Allowed here: =, !=, in."),
        ("status == open garbage", 16, "does not continue the filter"),
        ("status == open and", 19, "expected a comparison, found the end"),
        ("status ==", 10, "is missing before the end"),
        ("status", 1, "Follow it with one of: =, !=, in."),
        ("(status == open", 16, 'expected ")", found the end'),
        ("status in [open, closed", 24, 'expected "]", found the end'),
        ("status in []", 12, "is missing before"),
        ("title == 'open", 10, "has no end"),
        (r"title == '\q'", 11, "is not an escape"),
        (r"title == '\ud800'", 11, "is not an escape"),
        ("title == $x", 10, "has no meaning here"),
        ("comments > many", 12, "Write a whole number."),
        ("comments > 99999999999999999999", 12, "Write a whole number."),
        ("has_comments == maybe", 17, "Write true or false."),
        ("created > yesterday", 11, "Write a date"),
        ("created > 2023-02-30", 11, "Write a date"),
        ("due < null", 7, "Write a date"),
        ("status not open", 12, 'expected "in" or "contains"'),
        ("and == x", 1, "expected a comparison"),
        ('(= status "opne")', 11, "Write one of: draft, open, closed."),
        ('(like title "x")', 2, ""),
        ('(= title "x" "y")', 14, '"=" takes one value'),
        ('(and (= status "open"))', 23, "joins at least two"),
        ('(= status "open") x', 19, "follows the end"),
    ],
)
def test_a_filter_that_cannot_be_read_names_the_column_and_what_is_allowed(
    text: str, column: int, said: str
) -> None:
    with pytest.raises(Invalid) as caught:
        parse_filter(text, "issue", NOW)
    assert caught.value.data["column"] == column, caught.value.message
    assert caught.value.message.startswith(f"Filter, column {column}: ")
    assert said in caught.value.sentence()


def test_length_and_depth_have_bounds() -> None:
    fits = "title == '" + "x" * (4096 - 11) + "'"
    assert parse_filter(fits, "issue", NOW) is not None
    with pytest.raises(Invalid, match="4097 bytes; at most 4096"):
        parse_filter(fits + " ", "issue", NOW)
    deep = "(" * 32 + "status == open" + ")" * 32
    assert parse_filter(deep, "issue", NOW) is not None
    for text in (f"({deep})", "not " * 33 + "has_comments", "(not " * 33 + "(= status open)" + ")" * 33):
        with pytest.raises(Invalid, match="deeper than 32"):
            parse_filter(text, "issue", NOW)


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(Invalid, match="column 10: this is not valid Unicode"):
        parse_filter("title == \udc80", "issue", NOW)


@settings(max_examples=examples(10_000))
@given(text=texts_like_filters() | st.text(max_size=80), kind=st.sampled_from(["issue", "milestone"]))
def test_whatever_is_written_is_a_filter_or_invalid(text: str, kind: str) -> None:
    found = None
    with suppress(Invalid):
        found = parse_filter(text, kind, NOW)
    if found is not None:
        assert holds(found, Subject(entity(kind=kind))) in (True, False)
