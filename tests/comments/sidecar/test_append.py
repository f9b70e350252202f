"""The short way to add a comment gives the same bytes as the long one."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.comments.sidecar.document import append_comment
from holdfast.comments.sidecar.javascript_json import parse, stringify
from tests.reliability.samples import examples

TEXTS = st.text(max_size=20) | st.sampled_from(["\n  ]", '\n  "comments": [\n', '"written": "x"', "]\n"])
ITEMS = st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=2) | st.none(), min_size=1, max_size=3)


@settings(max_examples=examples(200))
@given(st.lists(ITEMS, min_size=1, max_size=3), st.lists(ITEMS, min_size=1, max_size=3), ITEMS, ITEMS)
def test_it_gives_the_bytes_of_the_long_way(
    markers: list[Any], comments: list[Any], comment: dict[str, Any], marker: dict[str, Any]
) -> None:
    document = {"file": "a", "ghostMarkers": markers, "comments": comments, "holdfast": {"written": "r:1"}}
    short = append_comment(stringify(document), comment, marker, "r:2")
    document["ghostMarkers"].append(marker)
    document["comments"].append(comment)
    document["holdfast"] = {"written": "r:2"}
    assert short == stringify(document)
    assert short is not None
    assert parse(short) == document


def test_other_forms_take_the_long_way() -> None:
    stamped = {"ghostMarkers": [{"id": "m"}], "comments": [{"id": "c"}], "holdfast": {"written": "r:1"}}
    assert append_comment(json.dumps(stamped).encode(), {}, {}, "r:2") is None
    for missing in ("ghostMarkers", "comments", "holdfast"):
        partial = {key: value for key, value in stamped.items() if key != missing}
        assert append_comment(stringify(partial), {"id": "x"}, {"id": "y"}, "r:2") is None
    assert append_comment(stringify(stamped | {"comments": []}), {"id": "x"}, {"id": "y"}, "r:2") is None
