from __future__ import annotations

import pytest

from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.templates.catalogue import Templates
from holdfast.templates.tools.search_templates import FoundTemplate, SearchTemplates, search_templates


def found(room: Templates, query: str, toolchain: str | None = None) -> list[FoundTemplate]:
    result = search_templates(room, SearchTemplates(query=query, toolchain=toolchain))
    assert result.count == len(result.templates)
    return result.templates


@pytest.mark.requirement("templates-61", "templates-63")
def test_results_are_scored_and_best_first(room: Templates):
    hits = found(room, "makefile")
    assert {hit.relevance for hit in hits} == {8}
    assert len(hits) == 10
    assert hits[0].matches == ["name: Rust CLI Makefile", "description"]
    [best, *_] = found(room, "rust cli makefile")
    assert (best.uri, best.relevance) == ("template://makefile/rust/cli", 10)
    scores = [hit.relevance for hit in found(room, "README")]
    assert scores == sorted(scores, reverse=True)


def test_a_parameter_is_found_by_its_name(room: Templates):
    hits = found(room, "has_benchmarks")
    assert [(hit.uri, hit.relevance, hit.matches) for hit in hits] == [
        ("template://makefile/rust/cli", 1, ["parameter: has_benchmarks"]),
        ("template://makefile/rust/library", 1, ["parameter: has_benchmarks"]),
    ]


def test_words_in_any_order_are_found_when_no_phrase_is(room: Templates):
    [best, *_] = found(room, "makefile python library")
    assert best.uri == "template://makefile/python-uv/library"
    assert found(room, "makefile cobol") == []


@pytest.mark.parametrize("query", ["", " ", "\t\n"])
def test_a_query_of_nothing_is_refused_and_finds_not_everything(query: str):
    with pytest.raises(InvalidArguments, match="query"):
        validate_arguments(SearchTemplates, {"query": query})


@pytest.mark.requirement("templates-62")
def test_a_search_keeps_to_a_toolchain(room: Templates):
    assert {hit.toolchain for hit in found(room, "makefile", "deno")} == {"deno"}
    assert found(room, "makefile", "cobol") == []
