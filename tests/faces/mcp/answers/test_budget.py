from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.faces.mcp.answers.budget import shorten, shorten_text, take_max_bytes
from holdfast.kernel.errors import InvalidArguments


def size(data: Any) -> int:
    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


def test_what_fits_is_unchanged() -> None:
    data = {"files": ["a", "b"], "total": 2}
    assert shorten(data, 10_000) is data


def test_every_list_keeps_as_many_entries_as_fit_and_short_ones_all() -> None:
    data = {"few": ["x", "y"], "many": [{"name": f"n{n}", "parts": [n]} for n in range(1000)], "total": 1000}
    shortened = shorten(data, 3000)
    assert 2000 < size(shortened) <= 3000
    assert shortened["few"] == ["x", "y"]
    kept = len(shortened["many"])
    assert shortened["many"] == data["many"][:kept]
    assert shortened["shortened"]["left_out"] == {"many": f"{kept} of 1000"}
    assert f"max_bytes: {size(data) + 500}" in shortened["shortened"]["hint"]
    assert "shortened" not in shorten(data, size(data) + 500)


def test_nested_lists_maps_and_long_texts_are_cut_and_counted_together() -> None:
    data = {
        "groups": [{"items": list(range(500))} for _ in range(3)],
        "by_file": {f"file {n}": n for n in range(500)},
        "text": "word " * 2000,
    }
    shortened = shorten(data, 4000)
    assert size(shortened) <= 4000
    left_out = shortened["shortened"]["left_out"]
    kept = len(shortened["groups"][0]["items"])
    assert left_out["groups.items"] == f"{3 * kept} of 1500"
    assert left_out["by_file"] == f"{kept} of 500"
    assert shortened["text"].startswith("word word")
    assert shortened["text"].endswith("…")
    assert left_out["text"].endswith(" of 10000")


def test_details_go_first_and_only_as_many_as_needed() -> None:
    data = {
        "templates": [{"name": f"t{n}", "parameters": ["p"] * 50} for n in range(50)],
        "drawing": "x" * 500,
    }
    shortened = shorten(data, 3000, ("templates.parameters", "drawing"))
    assert [template["name"] for template in shortened["templates"]] == [f"t{n}" for n in range(50)]
    assert shortened["drawing"] == data["drawing"]
    assert shortened["shortened"]["left_out"] == {"templates.parameters": "0 of 2500"}


def test_a_page_that_was_cut_says_where_the_next_one_begins() -> None:
    data = {"items": ["x" * 100] * 100, "next_cursor": "abc"}
    assert "The next page begins after" in shorten(data, 2000)["shortened"]["hint"]
    assert "next page" not in shorten(data | {"next_cursor": None}, 2000)["shortened"]["hint"]


def test_a_text_keeps_whole_lines() -> None:
    text = "".join(f"line {n}\n" for n in range(1000))
    cut = shorten_text(text, 1000)
    kept, _, note = cut.partition("…")
    assert text.startswith(kept)
    assert kept.endswith("\n")
    assert f"{len(text) - len(kept)} more characters" in note
    assert shorten_text("short", 1000) == "short"


def test_max_bytes_is_taken_from_the_arguments_and_checked() -> None:
    assert take_max_bytes({"file": "a", "max_bytes": 5000}) == ({"file": "a"}, 5000)
    assert take_max_bytes({"file": "a"}) == ({"file": "a"}, None)
    assert take_max_bytes(None) == (None, None)
    for wrong in (10, "many", True):
        with pytest.raises(InvalidArguments, match='argument "max_bytes"'):
            take_max_bytes({"max_bytes": wrong})
