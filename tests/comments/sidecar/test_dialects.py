"""Sidecars of every dialect are read, and written in one form without losing anything."""

from __future__ import annotations

import contextlib
import copy
import json
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.javascript_json import stringify
from holdfast.comments.sidecar.marker import SidecarNormalizer
from holdfast.comments.sidecar.note import alias_of
from holdfast.comments.sidecar.source import CurrentSource, is_sidecar, line_hash, range_hash
from holdfast.comments.union.recovery import SidecarCheck
from tests.comments.conftest import Desk
from tests.comments.sources import PATH, accepted_by_the_extension
from tests.reliability.samples import examples

CREATED = "2025-10-19T09:57:09.438Z"
COMMENT = {"id": "one", "text": "TODO: look", "author": "Ada", "created": CREATED, "updated": CREATED}
MARKER = {
    "id": "gm-1",
    "line": 2,
    "commentIds": ["one"],
    "lineHash": line_hash("second"),
    "lineText": "second",
    "prevLineText": "first",
    "nextLineText": "third",
    "lastVerified": CREATED,
}
ANCHOR = {"symbolPath": ["Class", "method"], "symbolKind": "Method", "containerName": "Class", "offset": 1}
TEXT = "first\nsecond\nthird\nfourth\n"

DIALECTS: dict[str, dict[str, Any]] = {
    "1.0": {"file": "a.txt", "version": "1.0", "comments": [{**COMMENT, "line": 2, "tag": "TODO"}]},
    "2.0": {
        "file": "a.txt",
        "version": "2.0",
        "ghostMarkers": [{**MARKER, "lineHash": "0" * 32}],
        "comments": [{**COMMENT, "line": 2, "tag": None, "ghostMarkerId": "gm-1"}],
    },
    "2.0.5": {
        "file": "a.txt",
        "version": "2.0.5",
        "ghostMarkers": [{**MARKER, "astAnchor": ANCHOR}],
        "comments": [{**COMMENT, "line": 2, "ghostMarkerId": "gm-1"}],
    },
    "2.0.6": {
        "file": "a.txt",
        "version": "2.0.6",
        "ghostMarkers": [{**MARKER, "endLine": 3, "astAnchor": None}],
        "comments": [{**COMMENT, "line": 2, "startLine": 2, "endLine": 3, "ghostMarkerId": "gm-1"}],
    },
    "2.1.0": {
        "file": "C:\\work\\a.txt",
        "version": "2.1.0",
        "ghostMarkers": [{**MARKER, "astAnchor": ANCHOR}],
        "comments": [
            {
                **COMMENT,
                "line": 2,
                "tag": "HACK",
                "ghostMarkerId": "gm-1",
                "aiMetadata": {"provider": "p", "model": "m", "tokens": {"heuristic": 4}},
                "params": {"name": {"value": "x", "type": "static", "source": "manual"}},
                "status": "resolved",
                "resolvedBy": "Grace",
                "replies": [{"id": "r1", "text": "ok", "author": "Grace", "created": CREATED}],
                "contentType": "text",
            }
        ],
    },
    "server": {
        "filePath": "a.txt",
        "version": "2.1.0",
        "comments": [{**COMMENT, "id": "c_1760000000000", "tag": "NOTE", "aiMeta": {"model": "m"}}],
        "ghostMarkers": [
            {
                "id": "gm_1760000000001",
                "commentId": "c_1760000000000",
                "line": 2,
                "anchor": "validate",
                "anchorType": "function",
                "originalLine": 2,
                "isOrphaned": False,
            }
        ],
    },
    "demo": {
        "fileName": "a.txt",
        "version": "2.1.0",
        "comments": [
            {
                "id": "comment-1",
                "line": 2,
                "text": "NOTE: here",
                "timestamp": CREATED,
                "aiMeta": {"complexity": "medium", "tokens": 3, "params": 1},
            }
        ],
    },
}
EVERY_DIALECT = pytest.mark.parametrize("name", DIALECTS)


def completed(raw: dict[str, Any], text: str = TEXT) -> dict[str, Any]:
    sidecar = sidecars.parse_sidecar("a.txt", json.dumps(raw).encode())
    numbers = iter(range(1, 1000))
    present = CurrentSource("a.txt", text, "b" * 40)
    SidecarNormalizer(present, None, CREATED, lambda: f"gm_{next(numbers)}").normalize(sidecar)
    document: dict[str, Any] = json.loads(sidecars.bytes_of(sidecar))
    return document


def is_kept(before: Any, after: Any) -> bool:
    """Say whether everything that stood in one value stands in the other."""
    if isinstance(before, dict):
        return isinstance(after, dict) and all(
            key in after and is_kept(value, after[key]) for key, value in before.items()
        )
    if isinstance(before, list):
        return isinstance(after, list) and all(
            any(is_kept(item, other) for other in after) for item in before
        )
    return bool(before == after)


@pytest.mark.requirement("comments-102")
@EVERY_DIALECT
def test_a_dialect_is_read(name: str) -> None:
    (note,) = sidecars.parse_sidecar("a.txt", json.dumps(DIALECTS[name]).encode()).comments
    assert (note.line, note.created) == (2, CREATED)
    assert note.alias.startswith("c_")
    assert note.text


@pytest.mark.requirement("comments-102")
@EVERY_DIALECT
def test_what_is_written_passes_the_extensions_validator_and_keeps_every_key(name: str) -> None:
    before = copy.deepcopy(DIALECTS[name])
    after = completed(DIALECTS[name])
    assert accepted_by_the_extension(after)
    assert all(
        {"commentId", "anchor", "anchorType", "originalLine", "isOrphaned"} <= marker.keys()
        for marker in after["ghostMarkers"]
    )
    assert after["filePath"]
    before["version"] = after["version"]
    for marker in [*before.get("ghostMarkers", []), *after["ghostMarkers"]]:
        # What a line is may be said anew; that it is said stays.
        for key in ("lineHash", "lineText", "astAnchor", "anchor", "anchorType", "lastVerified"):
            marker.pop(key, None)
    assert is_kept(before, after)


def test_the_validator_we_hold_it_against_refuses_what_the_extension_refuses() -> None:
    assert accepted_by_the_extension(DIALECTS["2.0.5"])
    assert not accepted_by_the_extension(DIALECTS["server"])
    assert not accepted_by_the_extension(DIALECTS["demo"])
    incomplete = {**DIALECTS["2.0.5"], "ghostMarkers": [{**MARKER, "astAnchor": {"offset": 1}}]}
    assert not accepted_by_the_extension(incomplete)
    assert accepted_by_the_extension(completed(incomplete))


@EVERY_DIALECT
def test_writing_twice_changes_nothing_more(name: str) -> None:
    once = completed(DIALECTS[name])
    assert completed(once) == once


KEYS = st.text(min_size=1, max_size=8).filter(lambda key: key not in {"id", "text", "line", "endLine"})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
UNKNOWN = st.dictionaries(KEYS.map(lambda key: f"x-{key}"), VALUES, max_size=3)


@pytest.mark.requirement("comments-102")
@settings(max_examples=examples(150))
@given(st.sampled_from(sorted(DIALECTS)), UNKNOWN, UNKNOWN, UNKNOWN)
def test_keys_of_the_future_survive(name: str, top: Any, comment: Any, marker: Any) -> None:
    raw = copy.deepcopy(DIALECTS[name])
    raw |= top
    raw["comments"][0] |= comment
    for item in raw.get("ghostMarkers", []):
        item.update(marker)
    after = completed(raw)
    assert top.items() <= after.items()
    assert comment.items() <= after["comments"][0].items()
    if raw.get("ghostMarkers"):
        assert marker.items() <= after["ghostMarkers"][0].items()


@settings(max_examples=examples(150))
@given(st.sampled_from(sorted(DIALECTS)), st.lists(st.text(max_size=12), max_size=12))
def test_any_text_of_the_source_is_taken(name: str, lines: list[str]) -> None:
    assert accepted_by_the_extension(completed(DIALECTS[name], "\n".join(lines)))


@settings(max_examples=examples(200))
@given(VALUES)
def test_any_document_is_read_or_called_corrupted(value: Any) -> None:
    for raw in (value, {"comments": value}, {"comments": [value]}, {"comments": [], "ghostMarkers": value}):
        with contextlib.suppress(CommentFileCorrupted):
            sidecars.parse_sidecar("a.txt", json.dumps(raw).encode())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.py.comments", True),
        ("src/a.py.comments", True),
        (".comments", False),
        ("src/.comments", False),
        ("a.py", False),
        ("a.py.comments.comments", False),
        ("a.py.backup-1760867839438.comments", False),
        ("a.py.backup-2025-10-19T09-57.comments", False),
        ("a.py.comments.lock", False),
        ("backup-notes.md.comments", True),
    ],
)
def test_backups_and_sidecars_of_sidecars_are_no_sidecars(name: str, expected: bool) -> None:
    assert is_sidecar(name) is expected


def test_an_id_of_another_form_has_an_alias_that_never_changes() -> None:
    assert alias_of("c_1730000000000") == "c_1730000000000"
    assert alias_of("d2af57c6-a994-4bb9-b2ac-98b85ad32d45") == alias_of(
        "d2af57c6-a994-4bb9-b2ac-98b85ad32d45"
    )
    assert alias_of("comment-1") != alias_of("comment-2")
    assert len(alias_of("comment-1")) == len("c_") + 16


def test_an_empty_sidecar_as_the_extension_makes_it_has_no_comments(desk: Desk) -> None:
    empty = '{\n  "file": "a",\n  "version": "2.1.0",\n  "ghostMarkers": [],\n  "comments": []\n}'
    desk.write(f"{PATH}.comments", empty)
    assert desk.show(PATH) == []


@pytest.mark.requirement("comments-102")
def test_the_path_of_a_sidecar_is_believed_and_not_what_it_says(desk: Desk) -> None:
    document = {**DIALECTS["1.0"], "file": "/home/somebody/elsewhere.py"}
    desk.write(f"{PATH}.comments", json.dumps(document))
    (found,) = desk.show(PATH)
    name = str(found["id"])
    desk.run("edit_comment", filePath=PATH, commentId=name, text="Changed")
    assert desk.sidecar(PATH)["file"] == "/home/somebody/elsewhere.py"
    assert desk.sidecar(PATH)["filePath"] == PATH
    assert list(desk.room.sidecar_paths()) == [PATH]


def only(**more: Any) -> dict[str, Any]:
    """Return a document with one comment and one marker that is not quite right."""
    marker = {key: value for key, value in {**MARKER, **more}.items() if value is not ...}
    return {**DIALECTS["2.0.5"], "ghostMarkers": [marker]}


ODD = {
    "a marker without an id": only(id=...),
    "a marker whose id is a list": only(id=["gm-1"]),
    "a marker without its comments": only(commentIds=None),
    "a hash that is a list": only(lineHash=["0"]),
    "an anchor that is a word": only(astAnchor="method"),
    "a line beyond all files": only(line=10**30),
    "a marker of nothing": {**DIALECTS["2.0"], "ghostMarkers": [{}]},
    "a moment with half a character": {
        **DIALECTS["1.0"],
        "comments": [{**COMMENT, "line": 2, "updated": "\ud800"}],
    },
    "a confidence that no model has": {
        **DIALECTS["1.0"],
        "comments": [{**COMMENT, "line": 2, "aiMeta": {"model": "m", "confidence": 10**300}}],
    },
    "a text with the marks of a conflict": {
        **DIALECTS["1.0"],
        "comments": [{**COMMENT, "line": 2, "text": "a\u2028<<<<<<< HEAD\nb"}],
    },
}


@pytest.mark.requirement("comments-95", "comments-102")
@pytest.mark.parametrize("name", ODD)
def test_an_odd_sidecar_is_used_by_every_operation_and_then_passes_the_validator(
    desk: Desk, name: str
) -> None:
    (desk.root / "a.txt").write_text(TEXT)
    (desk.root / "b.txt").write_text(TEXT)
    place = desk.root / "a.txt.comments"
    place.write_bytes(stringify(ODD[name]))
    assert "one" in json.dumps(desk.room.load("a.txt").comments[0].raw)
    found = desk.run("search_comments", query=".").wire()["comments"]
    assert len(found) == 1
    for chosen in ("json", "markdown", "jsonl", "parquet"):
        assert desk.run("export_comments", format=chosen).wire()["metadata"]["totalComments"] == 1
    alias = alias_of("one")
    desk.run("edit_comment", filePath="a.txt", commentId=alias, text="TODO: look twice")
    document = json.loads(place.read_bytes())
    assert accepted_by_the_extension(document)
    assert document["comments"][0]["ghostMarkerId"] in [marker["id"] for marker in document["ghostMarkers"]]
    place.write_bytes(stringify(ODD[name]))
    desk.run("move_comment", sourceFile="a.txt", targetFile="b.txt", commentId=alias, targetLine=3)
    document = json.loads((desk.root / "b.txt.comments").read_bytes())
    assert accepted_by_the_extension(document)
    assert document["comments"][0]["id"] == "one"


def test_an_id_that_is_no_text_is_damage(desk: Desk) -> None:
    (desk.root / "a.txt").write_text(TEXT)
    document = {**DIALECTS["1.0"], "comments": [{**COMMENT, "id": "\ud800", "line": 2}]}
    (desk.root / "a.txt.comments").write_text(json.dumps(document))
    with pytest.raises(CommentFileCorrupted, match="id of comment 1"):
        desk.room.load("a.txt")


def the_extensions(end_line: int | None) -> dict[str, Any]:
    """Return a sidecar as the extension writes it: of a range it keeps the first line alone."""
    lines = {} if end_line is None else {"startLine": 2, "endLine": end_line}
    end = {} if end_line is None else {"endLine": end_line}
    return {
        "file": "a.txt",
        "version": "2.1.0",
        "ghostMarkers": [{**MARKER, **end, "astAnchor": None}],
        "comments": [{**COMMENT, "line": 2, **lines, "tag": "TODO", "ghostMarkerId": "gm-1"}],
    }


def first_lines(place: Path, written: bytes) -> bytes:
    """Return as many of the present bytes as the extension wrote up to the end of its marker."""
    return place.read_bytes()[: written.index(b"\n    }\n  ],")]


@pytest.mark.requirement("comments-102")
@pytest.mark.parametrize("end_line", [None, 3])
def test_an_unrelated_comment_leaves_every_byte_of_the_extensions_marker(
    desk: Desk, end_line: int | None
) -> None:
    (desk.root / "a.txt").write_text(TEXT)
    place, written = desk.root / "a.txt.comments", stringify(the_extensions(end_line))
    place.write_bytes(written)
    for line in (4, 1):
        desk.add("a.txt", line)
        assert first_lines(place, written) == written[: written.index(b"\n    }\n  ],")]
        comment = json.loads(place.read_bytes())["comments"][0]
        assert comment == the_extensions(end_line)["comments"][0]
    (desk.root / "a.txt").write_text(f"new\n{TEXT}")
    desk.run("reanchor_comments")
    marker = json.loads(place.read_bytes())["ghostMarkers"][0]
    # Control: what did change is written, and the extension verifies the first line of it.
    assert (marker["line"], marker.get("endLine")) == (3, end_line and end_line + 1)
    assert (marker["lineText"], marker["lineHash"]) == ("second", line_hash("second"))


OTHER = {**COMMENT, "id": "two", "line": 3, "text": "other", "ghostMarkerId": "gm-2"}
OTHER_MARKER = {**MARKER, "id": "gm-2", "line": 3, "commentIds": ["two"], "lineText": "third"}
DAMAGE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another comment has the same id": ({"id": "one"}, {"commentIds": ["one"]}),
    "another marker has the id of its marker": ({"ghostMarkerId": "gm-1"}, {"id": "gm-1"}),
    "its 'line' is no line number": ({"line": -7}, {"line": -7}),
    "its marker's 'line' is no line number": ({}, {"line": 0}),
    "its marker's 'lineHash' is no text": ({}, {"lineHash": 7}),
    "its marker's 'commentIds' is no list": ({}, {"commentIds": "two"}),
}


@pytest.mark.requirement("comments-95")
@pytest.mark.parametrize("damage", DAMAGE)
def test_an_unrelated_comment_leaves_damaged_ones_as_they_are(desk: Desk, damage: str) -> None:
    (desk.root / "a.txt").write_text(TEXT)
    comment, marker = {**OTHER, **DAMAGE[damage][0]}, {**OTHER_MARKER, **DAMAGE[damage][1]}
    sound = the_extensions(None)
    document = {
        **sound,
        "ghostMarkers": [*sound["ghostMarkers"], marker],
        "comments": [*sound["comments"], comment],
    }
    place = desk.root / "a.txt.comments"
    place.write_bytes(stringify(document))
    for line in (4, 1):
        desk.add("a.txt", line)
        written = json.loads(place.read_bytes())
        assert (written["comments"][1], written["ghostMarkers"][1]) == (comment, marker)
    desk.run("reanchor_comments")
    assert json.loads(place.read_bytes())["ghostMarkers"][1] == marker
    assert len(desk.show("a.txt")) == 4
    found = [finding.text for finding in SidecarCheck(desk.room).examine(fix=False)]
    assert f"Comment {alias_of(comment['id'])} is damaged: {damage}." in found
    # Control: it is written when it is changed itself.
    desk.run("edit_comment", filePath="a.txt", commentId=alias_of(comment["id"]), text="changed")
    written = json.loads(place.read_bytes())
    assert (written["comments"][:2], written["ghostMarkers"][:2]) != (
        document["comments"],
        document["ghostMarkers"],
    )


def test_a_byte_order_mark_stays(desk: Desk) -> None:
    (desk.root / "a.txt").write_text(TEXT)
    place = desk.root / "a.txt.comments"
    place.write_bytes(BOM_UTF8 + stringify(the_extensions(None)))
    for line in (4, 1):
        desk.add("a.txt", line)
        assert place.read_bytes().startswith(BOM_UTF8 + b"{")
    assert len(desk.show("a.txt")) == 3


def test_a_range_that_was_described_by_all_its_lines_gets_its_first_line_back(desk: Desk) -> None:
    (desk.root / "a.txt").write_text(TEXT)
    place = desk.root / "a.txt.comments"
    place.write_bytes(stringify(the_extensions(3)))
    desk.add("a.txt", 4)
    document = json.loads(place.read_bytes())
    document["ghostMarkers"][0] |= {"lineText": "second\nthird", "lineHash": range_hash(["second", "third"])}
    place.write_bytes(stringify(document))
    (desk.root / "a.txt").write_text(f"new\n{TEXT}")
    desk.run("reanchor_comments")
    marker = json.loads(place.read_bytes())["ghostMarkers"][0]
    assert (marker["lineText"], marker["lineHash"]) == ("second", line_hash("second"))
