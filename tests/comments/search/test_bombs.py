"""No pattern and no text stop a search: it ends where a backtracking engine would take hours."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from holdfast.comments.store import Comments
from holdfast.comments.tools.search_comments import SearchComments, SearchMetadata, search_comments
from holdfast.storage.git.repository import Repository
from tests.comments.making import annotate, comment
from tests.reliability.samples import samples

COMMENTS = 1000
BOMBS = {r"(a+)+$": 0, r"(a|aa)+$": 0, r"(a|a?)+$": COMMENTS, r"(.*a){20}$": 0}
"""Classic bombs, and in how many comments each has a match; one matches the empty end of any text."""
TEXT = "a" * 40 + "!"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comments]:
    root = tmp_path_factory.mktemp("bombs")
    source = "".join(f"value {line}\n" for line in range(1, 101))
    for number in range(COMMENTS // 100):
        notes = [comment(number * 100 + line, line, TEXT[line % 7 :], tag="NOTE") for line in range(1, 101)]
        annotate(root, f"src/part{number}.txt", source, *notes)
    opened = Comments(Repository.at(root))
    search(opened, "anything")
    yield opened
    opened.close()


def search(room: Comments, pattern: str) -> SearchMetadata:
    """Return the metadata of a search; with a backtracking engine it would not return."""
    return search_comments(room, SearchComments(query=pattern)).metadata


@pytest.mark.requirement("reliability-E5")
@pytest.mark.parametrize("pattern", BOMBS)
@pytest.mark.evidence("E5", "search", "classic and generated expressions")
def test_a_classic_bomb_is_searched_to_the_end(room: Comments, pattern: str) -> None:
    found = search(room, pattern)
    assert (found.interpreted_as, found.total_results) == ("regex", BOMBS[pattern])


@pytest.mark.requirement("reliability-E5")
@pytest.mark.evidence("E5", "search", "classic and generated expressions")
def test_every_generated_pattern_is_searched_to_the_end(room: Comments) -> None:
    patterns = generated(random.Random(5), samples("patterns"))
    searched = Counter(search(room, pattern).interpreted_as for pattern in patterns)
    assert searched.total() == samples("patterns")
    assert searched["regex"] > searched["text"]


def generated(chance: random.Random, count: int) -> Iterator[str]:
    """Yield expressions with quantifiers inside quantifiers and choices that overlap."""
    atoms = ["a", "aa", ".", r"\w", "[a!]", "a?", "(a|a)", "(a|aa)", "(a*)", r"\s*"]
    for _ in range(count):
        pattern = "".join(
            chance.choice(atoms) + chance.choice(["", "*", "+", "?", "{1,5}"]) for _ in range(3)
        )
        for _ in range(chance.randint(1, 3)):
            pattern = f"({pattern}){chance.choice(['*', '+', '{2,6}'])}"
        yield pattern + chance.choice(["$", "b", "[^a!]", ""])


@pytest.mark.requirement("reliability-E5")
@pytest.mark.evidence("E5", "search", control="an engine that goes back")
def test_control_an_engine_that_goes_back_does_not_end() -> None:
    program = f"import re; re.search({next(iter(BOMBS))!r}, {TEXT!r})"
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", program], timeout=3, check=False)


@pytest.mark.parametrize("pattern", [r"(?=a)b", r"(a)\1", "a{2000}", "(" * 50])
def test_what_the_engine_refuses_is_searched_as_plain_text(room: Comments, pattern: str) -> None:
    result = search_comments(room, SearchComments(query=pattern))
    assert result.metadata.total_results == 0
    assert result.metadata.interpreted_as is not None


def test_the_repository_holds_as_many_comments_as_it_says(room: Comments) -> None:
    assert search_comments(room, SearchComments(query="!")).metadata.total_results == COMMENTS
