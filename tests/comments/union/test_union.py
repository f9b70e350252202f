"""Two versions of a sidecar become one: nothing anybody wrote is lost, and what was deleted stays deleted."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.javascript_json import stringify
from holdfast.comments.union.conflicts import format_conflict, parse_conflict
from holdfast.comments.union.three_way import (
    HISTORY_KEY,
    merge_conflicted_bytes,
    merge_documents,
    merge_sidecar_bytes,
)
from holdfast.storage.files.foreign_document import UnreadableDocument
from tests.comments.making import PYTHON, comment, document, marker

LATER, LATEST = "2025-11-01T00:00:00.000Z", "2025-12-01T00:00:00.000Z"
LINES = PYTHON.split("\n")


def sidecar(*comments: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbers = [int(one["id"].removeprefix("c_")) - 1730000000000 for one in comments]
    markers = [marker(number, one["line"], LINES) for number, one in zip(numbers, comments, strict=True)]
    return {**document("a.py", [dict(one) for one in comments], markers), **more}


def by_id(value: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in value["comments"]}


def marked(value: dict[str, Any]) -> set[str]:
    return {one["id"] for one in value["ghostMarkers"]}


ONE, TWO, THREE = comment(1, 4, "one"), comment(2, 9, "two"), comment(3, 5, "three")


def test_comments_that_both_sides_added_are_all_there_with_their_markers():
    result = merge_documents(sidecar(ONE), sidecar(ONE, TWO), sidecar(ONE, THREE))
    assert list(by_id(result)) == [ONE["id"], TWO["id"], THREE["id"]]
    assert {one["id"] for one in result["ghostMarkers"]} == {
        one["ghostMarkerId"] for one in result["comments"]
    }


def test_a_deletion_counts_and_takes_its_marker_along():
    for ours, theirs in ((sidecar(ONE), sidecar(ONE, TWO, THREE)), (sidecar(ONE, TWO, THREE), sidecar(ONE))):
        result = merge_documents(sidecar(ONE, TWO), ours, theirs)
        assert set(by_id(result)) == {ONE["id"], THREE["id"]}
        assert len(result["ghostMarkers"]) == 2


def test_a_comment_that_one_side_deleted_and_the_other_rewrote_stays_with_its_marker():
    rewritten = {**TWO, "text": "two, better", "updated": LATER}
    result = merge_documents(sidecar(ONE, TWO), sidecar(ONE), sidecar(ONE, rewritten))
    assert by_id(result)[TWO["id"]]["text"] == "two, better"
    assert len(result["ghostMarkers"]) == 2
    moved = {**TWO, "line": 10}
    result = merge_documents(sidecar(ONE, TWO), sidecar(ONE), sidecar(ONE, moved))
    assert set(by_id(result)) == {ONE["id"]}


def test_changes_of_different_fields_are_all_kept():
    ours = {**ONE, "text": "one, better", "updated": LATER}
    theirs = {**ONE, "status": "resolved", "resolvedBy": "me", "updated": LATEST, "newKey": [1]}
    found = by_id(merge_documents(sidecar(ONE), sidecar(ours), sidecar(theirs)))[ONE["id"]]
    assert (found["text"], found["status"], found["newKey"]) == ("one, better", "resolved", [1])
    assert found["updated"] == LATEST
    assert HISTORY_KEY not in found


def test_of_two_texts_the_newer_wins_and_the_other_stays_in_the_history():
    ours = {**ONE, "text": "ours", "updated": LATEST}
    theirs = {**ONE, "text": "theirs", "updated": LATER, "author": "user"}
    for one, other in ((ours, theirs), (theirs, ours)):
        found = by_id(merge_documents(sidecar(ONE), sidecar(one), sidecar(other)))[ONE["id"]]
        assert found["text"] == "ours"
        assert found[HISTORY_KEY] == [
            {"text": "theirs", "author": "user", "updated": LATER, "reason": "merge"}
        ]


def test_replies_of_both_sides_are_kept_and_deleted_ones_are_not():
    old, mine, other = ({"id": name, "text": name, "author": "x", "created": LATER} for name in "omt")
    base = {**ONE, "replies": [old]}
    result = merge_documents(
        sidecar(base), sidecar({**ONE, "replies": [old, mine]}), sidecar({**ONE, "replies": [other]})
    )
    assert [reply["id"] for reply in by_id(result)[ONE["id"]]["replies"]] == ["m", "t"]


def test_a_place_comes_from_one_side_whole():
    ours = {**ONE, "line": 6, "startLine": 6, "endLine": 7, "updated": LATER}
    theirs = {**ONE, "line": 20, "updated": LATEST}
    found = by_id(merge_documents(sidecar(ONE), sidecar(ours), sidecar(ONE)))[ONE["id"]]
    assert (found["line"], found["endLine"]) == (6, 7)
    both = merge_documents(
        sidecar(ONE), {**sidecar(ONE), "comments": [ours]}, {**sidecar(ONE), "comments": [theirs]}
    )
    found = by_id(both)[ONE["id"]]
    assert (found["line"], "endLine" in found) == (20, False)


def test_unknown_keys_of_every_level_are_kept():
    ours = sidecar({**ONE, "mine": 1}, ourTop={"x": 1})
    theirs = sidecar({**ONE, "yours": 2}, theirTop=[2])
    ours["ghostMarkers"][0]["holdfast"] = {"blob": "b"}
    theirs["ghostMarkers"][0]["other"] = True
    result = merge_documents(sidecar(ONE), ours, theirs)
    assert (result["ourTop"], result["theirTop"]) == ({"x": 1}, [2])
    assert by_id(result)[ONE["id"]].items() >= {"mine": 1, "yours": 2}.items()
    assert result["ghostMarkers"][0].items() >= {"holdfast": {"blob": "b"}, "other": True}.items()


def test_a_marker_of_several_comments_loses_only_the_deleted_ones():
    shared = [{**ONE, "ghostMarkerId": "gm-x"}, {**TWO, "ghostMarkerId": "gm-x"}]
    both = marker(1, 4, LINES, id="gm-x", commentIds=[ONE["id"], TWO["id"]])
    base = document("a.py", shared, [both])
    ours = document("a.py", shared[:1], [{**both, "commentIds": [ONE["id"]]}])
    result = merge_documents(base, ours, copy.deepcopy(base))
    assert [one["commentIds"] for one in result["ghostMarkers"]] == [[ONE["id"]]]


def test_without_a_base_nothing_counts_as_deleted():
    result = merge_documents(None, sidecar(ONE), sidecar(TWO))
    assert set(by_id(result)) == {ONE["id"], TWO["id"]}


def test_a_side_that_changed_nothing_yields_the_other_byte_by_byte():
    base, changed = stringify(sidecar(ONE)), json.dumps(sidecar(ONE, TWO)).encode()
    assert merge_sidecar_bytes(base, base, changed) == changed
    assert merge_sidecar_bytes(base, changed, base) == changed
    assert merge_sidecar_bytes(base, changed, changed) == changed


def test_what_is_no_sidecar_is_refused_and_a_damaged_base_is_none():
    good = stringify(sidecar(ONE)), stringify(sidecar(TWO))
    for bad in (b"", b"{", b"[]", b'{"file": "a"}'):
        with pytest.raises(UnreadableDocument):
            merge_sidecar_bytes(stringify(sidecar()), good[0], bad)
        with pytest.raises(UnreadableDocument):
            merge_sidecar_bytes(stringify(sidecar()), bad, good[0])
    merged = sidecars.parse_sidecar("a.py", merge_sidecar_bytes(b"{", *good))
    assert [note.text for note in merged.comments] == ["one", "two"]


@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_a_conflicted_file_is_taken_apart(style):
    base, ours, theirs = b"same\nold\nend\n", b"same\nours\nend\n", b"same\ntheirs\nend\n"
    middle = b"||||||| parent\nold\n" if style == "diff3" else b""
    data = b"same\n<<<<<<< HEAD\nours\n" + middle + b"=======\ntheirs\n>>>>>>> other\nend\n"
    sides = parse_conflict(data)
    assert sides is not None
    assert (sides.ours, sides.theirs) == (ours, theirs)
    assert sides.base == (base if style == "diff3" else None)


@pytest.mark.parametrize("data", [b"", b"{}", b"<<<<<<< a\nx\n", b"<<<<<<< a\nx\n=======\ny\n", b"=======\n"])
def test_what_holds_no_whole_conflict_is_left_alone(data):
    assert parse_conflict(data) is None
    assert merge_conflicted_bytes(data) is None


def test_both_sides_of_a_conflict_over_everything_are_recovered():
    data = format_conflict(stringify(sidecar(ONE)), stringify(sidecar(TWO)))
    found = merge_conflicted_bytes(data)
    assert found is not None
    assert [note.text for note in sidecars.parse_sidecar("a.py", found).comments] == ["one", "two"]
    assert merge_conflicted_bytes(format_conflict(b"{", stringify(sidecar(TWO)))) is None


_TEXTS = st.sampled_from(["a", "b", "c"])
_MOMENTS = st.sampled_from([LATER, LATEST])
_REPLIES = st.lists(
    st.sampled_from("xyz").map(lambda name: {"id": name, "text": name}), max_size=2, unique_by=str
)


@st.composite
def _versions(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return a sidecar and two descendants of it."""
    base = [comment(number, 4, "old") for number in range(draw(st.integers(0, 3)))]
    sides = []
    for first_new in (100, 200):
        kept = [one for one in base if draw(st.integers(0, 3))]
        changed = [
            {**one, "text": draw(_TEXTS), "updated": draw(_MOMENTS), "replies": draw(_REPLIES)}
            if draw(st.booleans())
            else one
            for one in kept
        ]
        added = [comment(first_new + number, 5, draw(_TEXTS)) for number in range(draw(st.integers(0, 2)))]
        sides.append(sidecar(*changed, *added))
    return sidecar(*base), sides[0], sides[1]


@given(_versions())
def test_merging_loses_nothing_and_does_not_depend_on_the_direction(versions):
    base, ours, theirs = versions
    result = merge_documents(base, ours, theirs)
    other_way = merge_documents(base, theirs, ours)
    assert {name: _essence(one) for name, one in by_id(result).items()} == {
        name: _essence(one) for name, one in by_id(other_way).items()
    }
    for side, other in ((ours, theirs), (theirs, ours)):
        for name, one in by_id(side).items():
            is_deleted = name in by_id(base) and name not in by_id(other) and one == by_id(base)[name]
            assert is_deleted == (name not in by_id(result))
            if not is_deleted and name not in by_id(base):
                assert by_id(result)[name] == one
    texts = json.dumps(result)
    for name in by_id(result):
        for side in (ours, theirs):
            one = by_id(side).get(name)
            if one is not None and one != by_id(base).get(name):
                assert json.dumps(one["text"]) in texts
    assert {one["id"] for one in result["ghostMarkers"]} == {
        one["ghostMarkerId"] for one in result["comments"]
    }
    assert merge_documents(base, result, result) == result
    assert sidecars.parse_sidecar("a.py", stringify(result)).comments is not None


def _essence(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "replies": sorted(json.dumps(reply) for reply in one.get("replies", []))}
