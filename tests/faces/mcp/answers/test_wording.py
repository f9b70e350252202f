from __future__ import annotations

import json
from typing import Any

from holdfast.faces.mcp.answers.outline import outline
from holdfast.faces.mcp.answers.wording import complete_texts, rest_of


def complete(text: str, data: dict[str, Any], max_bytes: int = 10_000) -> str:
    return "\n\n".join(complete_texts(text, data, max_bytes))


def test_a_text_that_says_everything_is_unchanged() -> None:
    text = "2 files, 28% copied:\na.py  0.286  open\nb.py  1,200  done"
    files = [
        {"path": "a.py", "share": 0.2857, "state": "open", "draft": False},
        {"path": "b.py", "share": 1200, "state": "done", "note": None},
    ]
    assert complete(text, {"files": files, "total": 2, "share": 0.28, "skipped": {}, "errors": 0}) == text


def test_what_only_the_data_says_follows_as_an_outline() -> None:
    data = {"task": {"id": "TP-1", "title": "Write it", "state": "open", "labels": ["docs"]}, "version": 4}
    said, _, rest = complete("TP-1 Write it", data).partition("\n\n")
    assert said == "TP-1 Write it"
    assert rest.splitlines()[1:] == ["task:", "  state: open", "  labels: docs", "version: 4"]


def test_an_entry_is_said_only_on_its_own_lines() -> None:
    text = "a.py: 3 changes\nb.py: 5 changes"
    rest = rest_of(text, {"files": [{"path": "a.py", "changes": 5}, {"path": "b.py", "changes": 5}]})
    assert rest.splitlines()[1:] == ["files (path | changes):", "- a.py | 5"]


def test_lines_below_an_entry_belong_to_it() -> None:
    text = "a.py\n  open\n\n  3 changes\nb.py\n  done"
    files = [{"path": "a.py", "state": "open", "changes": 3}, {"path": "b.py", "state": "open"}]
    assert rest_of(text, {"files": files}).splitlines()[1:] == ["files (path | state):", "- b.py | open"]


def test_an_entry_that_the_text_does_not_mention_is_outlined_whole() -> None:
    rest = rest_of("1 of 2 files: a.py (3)", {"files": [{"path": "a.py", "n": 3}, {"path": "c.py", "n": 3}]})
    assert rest.splitlines()[1:] == ["files (path | n):", "- c.py | 3"]


def test_a_json_text_without_room_becomes_that_of_the_shortened_data() -> None:
    data = {"items": [{"a": "some words"}], "count": 1}
    text = json.dumps([{"a": "some words"}] * 1000)
    assert json.loads(complete(text, data)) == data
    assert complete('[{"a": "some words"}] 1', data) == '[{"a": "some words"}] 1'


def test_a_text_without_room_is_cut_at_a_line_and_the_outline_stays_whole() -> None:
    data = {"files": [f"module_{number}.py" for number in range(50)]}
    text = "\n".join(f"Line {number} of many about nothing." for number in range(200))
    completed = complete(text, data, 2000)
    assert len(completed) <= 2000
    assert completed.startswith("Line 0 of many about nothing.\nLine 1")
    assert "\n…\n\n" in completed
    assert all(name in completed for name in data["files"])


def test_stored_text_cannot_look_like_a_part_of_the_outline() -> None:
    lines = outline(
        {"title": "x\nversion: 9", "file name": "a b | c", "key\nnew": "plain words"}
    ).splitlines()
    assert lines == ['title: "x\\nversion: 9"', 'file name: "a b | c"', '"key\\nnew": plain words']


def test_entries_with_different_members_have_tables_of_their_own() -> None:
    entries = [{"a": 1, "b": 2}, {"a": 3, "b": None}, {"a": 4}]
    assert outline({"rows": entries}).splitlines() == ["rows (a | b):", "- 1 | 2", "rows (a):", "- 3", "- 4"]
