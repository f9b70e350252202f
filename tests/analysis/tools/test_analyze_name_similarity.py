"""`analyze_name_similarity`: which names are like one, where they are, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_name_similarity import (
    AnalyzeNameSimilarity,
    NameSimilarity,
    analyze_name_similarity,
)
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset
from tests.storage.git_support import commit

SOURCES = {
    "shop/basket.py": (
        "TOTAL_LIMIT = 5\n\n\nclass ShoppingCart:\n    def compute_sum(self, prices):\n"
        "        running = 0\n        return running\n\n    def remove_item(self, item):\n        pass\n"
    ),
    "shop/light.js": "function colour(value) { let shade = value; return shade; }\nclass Basket {}\n",
    "other/sum.py": "def compute_sum():\n    pass\n\n\ndef open_socket():\n    pass\n",
}


@pytest.fixture
def project(repository: Path) -> Path:
    commit(repository, SOURCES)
    return repository


def asked(where: Path, **arguments: Any) -> NameSimilarity:
    room = Analysis(Repository.discover(where))
    try:
        result: NameSimilarity = analyze_name_similarity(
            room, validate_arguments(AnalyzeNameSimilarity, arguments)
        )
    finally:
        room.close()
    return result


def words(result: NameSimilarity) -> str:
    [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_name_similarity"]
    return operation.as_text(result)


def names(result: NameSimilarity) -> list[str]:
    return [match.name for match in result.matches]


@pytest.mark.requirement("analysis-183", "analysis-184", "analysis-194")
def test_names_are_ranked_by_meaning_and_not_by_letters_alone(project):
    result = asked(project, query="calculateTotal", scope="functions")
    best = result.matches[0]
    assert (best.name, best.kind, best.file, best.line) == ("compute_sum", "Function", "other/sum.py", 1)
    assert best.vector > best.string
    assert [match.score for match in result.matches] == sorted(
        (match.score for match in result.matches), reverse=True
    )
    assert all(match.score >= result.least_score for match in result.matches)
    with pytest.raises(InvalidArguments, match="query"):
        asked(project)


def test_a_score_is_the_mean_of_the_parts_that_it_tells(project):
    for match in asked(project, query="basket", top_k=50).matches:
        assert match.score == pytest.approx((match.string + match.vector) / 2, abs=1e-4)
    best = asked(project, query="Basket").matches[0]
    assert (best.name, best.score, best.string, best.vector, best.edit_distance) == ("Basket", 1, 1, 1, 0)


@pytest.mark.requirement("analysis-187", "analysis-188", "analysis-189", "analysis-190")
def test_a_scope_has_the_names_of_its_kinds_and_all_has_every_one(project):
    kinds = {
        scope: {match.kind for match in asked(project, query="total", scope=scope, top_k=100).matches}
        for scope in ("functions", "types", "variables", "all")
    }
    counts = {
        scope: asked(project, query="total", scope=scope).total_candidates
        for scope in ("functions", "types", "variables", "all")
    }
    assert kinds["functions"] <= {"Function", "Method"}
    assert kinds["types"] <= {"Class"}
    assert kinds["variables"] <= {"Variable", "Constant", "Local"}
    assert counts == {"functions": 5, "types": 2, "variables": 7, "all": 14}


def test_parameters_and_local_variables_are_found_at_the_function_they_belong_to(project):
    [best, *_] = asked(project, query="shade").matches
    assert (best.name, best.kind, best.file, best.line) == ("shade", "Local", "shop/light.js", 1)


def test_a_name_is_one_result_with_all_its_places(project):
    result = asked(project, query="compute_sum", scope="all")
    assert names(result).count("compute_sum") == 2  # a function and a method
    (project / "third.py").write_text("def compute_sum():\n    pass\n", encoding="utf-8")
    best = asked(project, query="compute_sum", scope="functions").matches[0]
    assert (best.occurrences, best.other_places) == (2, ["third.py:1"])


@pytest.mark.requirement("analysis-186")
def test_what_sounds_alike_counts_and_is_marked_only_where_it_is_asked_for(project):
    plain = asked(project, query="qulur", top_k=50)
    heard = asked(project, query="qulur", top_k=50, phonetic=True)
    assert "colour" not in names(plain)
    assert all(match.phonetic_match is None and match.phonetic is None for match in plain.matches)
    marked = [match.name for match in heard.matches if match.phonetic_match]
    assert marked == ["colour"]
    assert [match.phonetic for match in heard.matches if match.phonetic_match] == [1]
    assert "sounds similar" in words(heard)


@pytest.mark.requirement("analysis-185")
def test_ten_names_are_returned_unless_another_number_is_asked_for(repository):
    many = "".join(f"def open_file_{number}():\n    pass\n\n\n" for number in range(30))
    commit(repository, {"many.py": many})
    result = asked(repository, query="open_file")
    assert (len(result.matches), result.total_matches, result.total_candidates) == (10, 30, 30)
    assert len(asked(repository, query="open_file", top_k=3).matches) == 3
    assert names(asked(repository, query="open_file", top_k=3)) == names(result)[:3]
    for wrong in (0, 1001, "many"):
        with pytest.raises(InvalidArguments, match="top_k"):
            asked(repository, query="open_file", top_k=wrong)


@pytest.mark.requirement("analysis-191", "analysis-192", "analysis-193")
def test_formats_say_the_same_at_different_length(project):
    summary, detailed, data = (
        words(asked(project, query="sum", format=each)) for each in ("summary", "detailed", "json")
    )
    assert "compute_sum" in summary
    assert "other/sum.py:1" in summary
    assert "vector" not in summary
    assert "vector" in detailed
    assert "cosine" in detailed
    assert json.loads(data)["matches"][0]["name"] == "compute_sum"


def test_a_query_without_letters_or_a_missing_project_is_refused(project):
    with pytest.raises(InvalidArguments, match="neither letters nor digits"):
        asked(project, query="__")
    with pytest.raises(NotFound, match="gone"):
        asked(project, query="total", project_path="gone")


def test_a_query_whose_words_have_no_vector_is_compared_by_letters_and_says_so(repository):
    commit(repository, {"a.py": "def größe():\n    pass\n\n\ndef width():\n    pass\n"})
    result = asked(repository, query="größen")
    assert [(match.name, match.vector) for match in result.matches] == [("größe", None)]
    assert result.matches[0].score == result.matches[0].string
    assert "score is string" in result.method
