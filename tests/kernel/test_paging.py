from __future__ import annotations

import base64
import json
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.paging import decode_cursor, encode_cursor, page

KEYS = st.sets(st.text(max_size=12), max_size=60).map(sorted)


def pages(items: list[str], size: int, query: str = "query") -> list[list[str]]:
    cursor, collected = None, []
    while True:
        part, cursor = page(items, lambda item: item, query, cursor, size)
        collected.append(list(part))
        if cursor is None:
            return collected


@given(items=KEYS, size=st.integers(1, 20))
def test_pages_cover_everything_once_in_order(items: list[str], size: int):
    collected = pages(items, size)
    assert [item for part in collected for item in part] == items
    assert all(len(part) == size for part in collected[:-1])


@given(items=KEYS.filter(lambda items: len(items) > 3), data=st.data())
def test_items_that_come_and_go_disturb_no_other(items: list[str], data: st.DataObject):
    first, cursor = page(items, lambda item: item, "query", None, 2)
    removed = data.draw(st.sets(st.sampled_from(items)))
    left = [item for item in items if item not in removed]
    rest, _ = page(left, lambda item: item, "query", cursor, len(items))
    assert list(rest) == [item for item in left if item > first[-1]]


@given(query=st.text(), key=st.text())
def test_a_cursor_gives_its_key_back(query: str, key: str):
    assert decode_cursor(query, encode_cursor(query, key)) == key


@given(key=st.text(), position=st.integers(0, 200), letter=st.sampled_from("Az09-_=+/ é"))
def test_a_changed_cursor_is_refused_or_means_the_same(key: str, position: int, letter: str):
    cursor = encode_cursor("query", key)
    position %= len(cursor)
    changed = cursor[:position] + letter + cursor[position + 1 :]
    with suppress(InvalidCursor):
        assert decode_cursor("query", changed) == key


@given(st.text() | st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_nonsense_is_refused(cursor: str):
    with pytest.raises(InvalidCursor):
        decode_cursor("query", cursor)


def test_a_cursor_of_another_query_is_refused():
    with pytest.raises(InvalidCursor, match="another query"):
        decode_cursor("tools", encode_cursor("prompts", "a"))


@pytest.mark.parametrize(
    "body", ["[" * 100_000, "1", "[]", "[2, 0, 0]", '{"a": 1}', "9" * 5000, "[1, NaN, 1]"]
)
def test_a_well_sealed_cursor_with_a_foreign_body_is_refused(body: str):
    raw = body.encode()
    sealed = base64.urlsafe_b64encode(zlib.crc32(raw).to_bytes(4, "big") + raw).decode().rstrip("=")
    with pytest.raises(InvalidCursor):
        decode_cursor("query", sealed)


def test_a_cursor_shows_no_format_a_caller_could_read():
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(encode_cursor("query", "key"))
