"""What a search finds, in which order, and how it says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.comments.store import Comments
from holdfast.comments.tools.search_comments import (
    CommentSearchResult,
    SearchComments,
    render_found,
    search_comments,
)
from holdfast.comments.toolset import comments as toolset
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.git.repository import Repository
from tests.comments.making import PYTHON, annotate, comment

AI = {"model": "claude-sonnet-4.5", "confidence": 0.95, "reasoning": "Best practice"}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Comments]:
    annotate(
        tmp_path,
        "src/services/auth.py",
        PYTHON,
        comment(1, 4, "TODO: Implement rate limiting", aiMeta=AI),
        comment(2, 9, "Timing attack, see Vulnerability 7", tag="FIXME", author="user"),
    )
    annotate(
        tmp_path,
        "src/api/login.py",
        PYTHON,
        comment(3, 9, "Rate limit the RATE LIMITER", tag="NOTE", created="2025-10-18T10:00:00.000Z"),
        comment(4, 4, "a security hole (really", tag="QUESTION", created="2025-10-17T08:00:00+02:00"),
    )
    annotate(
        tmp_path,
        "readme.txt",
        "one\ntwo\n",
        comment(5, 1, "rate limits are described here", tag=None, aiMetadata={"provider": "x"}),
    )
    room = Comments(Repository.at(tmp_path))
    yield room
    room.close()


def search(room: Comments, query: str, *, limit: int | None = None, **filters: Any) -> CommentSearchResult:
    given: dict[str, Any] = {"query": query}
    if filters:
        given["filters"] = filters
    if limit is not None:
        given["limit"] = limit
    result: CommentSearchResult = search_comments(room, validate_arguments(SearchComments, given))
    return result


def numbers(result: CommentSearchResult) -> list[int]:
    return [int(one.id.removeprefix("c_")) - 1730000000000 for one in result.comments]


def refused(**given: Any) -> str:
    with pytest.raises(InvalidArguments) as failure:
        validate_arguments(SearchComments, given)
    return failure.value.message


@pytest.mark.requirement("comments-32")
def test_a_query_is_needed_and_may_not_be_empty(room):
    assert "query" in refused()
    assert "query" in refused(query="")
    assert numbers(search(room, "7")) == [2]


@pytest.mark.requirement("comments-33", "comments-41")
def test_a_query_is_a_regular_expression_over_the_whole_workspace(room):
    assert numbers(search(room, "security|vulnerability")) == [4, 2]
    assert numbers(search(room, r"^rate\b")) == [5, 3]
    assert numbers(search(room, r"limit(er|ing)\b")) == [3, 1]
    assert numbers(search(room, "nothing like it")) == []


def test_an_invalid_expression_is_searched_as_text_and_said_to_be(room):
    result = search(room, "(really")
    assert numbers(result) == [4]
    assert result.metadata.interpreted_as == "text"
    assert "missing )" in str(result.refusal)
    assert "searched as plain text" in render_found(result)
    assert search(room, "really").metadata.interpreted_as == "regex"


def test_most_matches_come_first_then_path_line_and_id(room):
    result = search(room, "rate limit")
    assert numbers(result) == [3, 5, 1]
    assert [one.matches for one in result.comments] == [2, 1, 1]
    assert numbers(search(room, "^.")) == [5, 4, 3, 1, 2]


@pytest.mark.requirement("comments-34")
def test_a_tag_filter_is_one_of_five(room):
    assert numbers(search(room, ".", tag="TODO")) == [1]
    assert numbers(search(room, ".", tag="STAR")) == []
    assert "tag" in refused(query="x", filters={"tag": "HACK"})


@pytest.mark.requirement("comments-35")
def test_an_author_filter_compares_whole_names(room):
    assert numbers(search(room, ".", author="user")) == [2]
    assert numbers(search(room, ".", author="us")) == []


@pytest.mark.requirement("comments-36")
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/api/login.py", {3, 4}),
        ("src/*.py", set()),
        ("src/*/*.py", {1, 2, 3, 4}),
        ("src/**", {1, 2, 3, 4}),
        ("src/", {1, 2, 3, 4}),
        ("**/login.py", {3, 4}),
        ("*.py", {1, 2, 3, 4}),
        ("*.{py,rs}", {1, 2, 3, 4}),
        ("*.{rs,go}", set()),
        ("readme.tx?", {5}),
        ("src/services/[a-b]*.py", {1, 2}),
        ("login.py", set()),
    ],
)
def test_a_path_filter_is_a_path_or_a_pattern(room, pattern, expected):
    assert set(numbers(search(room, ".", filePath=pattern))) == expected


@pytest.mark.requirement("comments-37")
def test_ai_metadata_of_either_dialect_counts_and_can_be_excluded(room):
    assert set(numbers(search(room, ".", hasAIMetadata=True))) == {1, 5}
    assert set(numbers(search(room, ".", hasAIMetadata=False))) == {2, 3, 4}
    assert len(search(room, ".").comments) == 5


@pytest.mark.requirement("comments-38")
def test_a_date_range_is_inclusive_and_open_at_either_end(room):
    day = "2025-10-18T10:00:00.000Z"
    assert set(numbers(search(room, ".", dateRange={"start": day, "end": day}))) == {3}
    assert set(numbers(search(room, ".", dateRange={"end": day}))) == {3, 4}
    assert set(numbers(search(room, ".", dateRange={"start": day}))) == {1, 2, 3, 5}
    assert set(numbers(search(room, ".", dateRange={"end": "2025-10-17T06:00:00Z"}))) == {4}
    assert "date" in refused(query="x", filters={"dateRange": {"start": "yesterday"}})
    assert "offset" in refused(query="x", filters={"dateRange": {"end": "2025-10-18T10:00:00"}})


@pytest.mark.requirement("comments-39")
def test_filters_combine_with_each_other_and_with_the_query(room):
    assert numbers(search(room, "rate", author="claude", tag="NOTE", filePath="src/**")) == [3]
    assert numbers(search(room, "rate", author="claude", tag="NOTE", hasAIMetadata=True)) == []


@pytest.mark.requirement("comments-40")
def test_the_limit_defaults_to_a_hundred_and_is_at_most_a_thousand(room):
    assert SearchComments(query="x").limit == 100
    assert "limit" in refused(query="x", limit=1001)
    assert "limit" in refused(query="x", limit=0)
    result = search(room, ".", limit=2)
    assert len(result.comments) == result.metadata.returned == 2
    assert result.metadata.total_results == 5
    assert "Only the first 2 are shown" in render_found(result)


@pytest.mark.requirement("comments-42", "comments-43")
def test_the_words_are_the_specifications(room):
    text = render_found(search(room, "limiting|attack"))
    assert text == (
        "Found 2 matching comments:\n\n"
        "1. 📝 src/services/auth.py:4 (TODO)\n"
        '   "TODO: Implement rate limiting"\n'
        "   Author: claude | Created: 2025-10-19T15:00:00.000Z\n"
        "   AI: claude-sonnet-4.5 (confidence: 0.95)\n\n"
        "2. 📝 src/services/auth.py:9 (FIXME)\n"
        '   "Timing attack, see Vulnerability 7"\n'
        "   Author: user | Created: 2025-10-19T15:00:00.000Z"
    )
    assert render_found(search(room, "nothing like it")) == "Found 0 matching comments."


@pytest.mark.requirement("comments-44")
def test_metadata_echoes_the_request(room):
    filters = {"tag": "TODO", "hasAIMetadata": True}
    operation = next(one for one in toolset.operations if one.name == "search_comments")
    result = search(room, "rate limit", **filters)
    assert operation.result_fields is not None
    metadata = operation.result_fields(result)["metadata"]
    assert {name: metadata[name] for name in ("totalResults", "query", "filters")} == {
        "totalResults": 1,
        "query": "rate limit",
        "filters": filters,
    }


def test_a_damaged_sidecar_is_named_and_the_others_are_searched(room, tmp_path):
    (tmp_path / "src" / "bad.py.comments").write_text("{ not JSON")
    result = search(room, "rate")
    assert result.damaged == ["src/bad.py"]
    assert numbers(result) == [3, 5, 1]
    assert "src/bad.py" in render_found(result)


def test_lines_are_those_where_the_code_is_now(room, tmp_path):
    assert [one.line for one in search(room, "attack").comments] == [9]
    source = tmp_path / "src" / "services" / "auth.py"
    source.write_text("# a\n# b\n" + source.read_text())
    assert [one.line for one in search(room, "attack").comments] == [11]
    source.unlink()
    assert [one.standing for one in search(room, "attack").comments] == ["orphaned"]


def test_case_is_ignored_beyond_english(room, tmp_path):
    annotate(tmp_path, "x.txt", "one\n", comment(8, 1, "GRÖSSE und Straße"), comment(9, 1, "ДОЛЯ"))
    assert numbers(search(room, "größe|grösse")) == [8]
    assert numbers(search(room, "straße")) == [8]
    assert numbers(search(room, "доля")) == [9]
    assert numbers(search(room, "д.л")) == [9]
