"""Searching by words and by sets of bits finds what trying every comment finds, in the same order."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.comments.search.corpus import Corpus, best
from holdfast.comments.search.folding import folded
from holdfast.comments.search.pattern import MOST_COUNTED, compiled
from holdfast.comments.search.query import Accept, Query
from holdfast.comments.search.schema import TABLES
from holdfast.comments.search.tally import Tally, bits, numbers_in
from holdfast.comments.search.within import is_within_words

# Letters whose case is unusual, white space of several kinds, and what is neither.
_TEXTS = st.text(alphabet="aabbAB_9-. ßẞſKкКİ\n\t\v\x1c\x85\xa0\u2028\0", max_size=14)
_ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "ba",
        "k",
        "s",
        "ß",
        "к",
        "-",
        "9",
        r"\w",
        r"\d",
        r"\b",
        r"\B",
        "[ab]",
        "[a-z]",
        "[9-]",
        r"\.",
        "_",
        " ",
        ".",
        "^",
        "$",
        r"\s",
        r"\S",
        r"\W",
        "[^a]",
        "[[:alpha:]]",
        r"\A",
        r"\z",
        "(?s:.)",
    ]
)
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "+?", "{0}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)
_QUERIES = st.one_of(_EXPRESSIONS, st.text(alphabet="abAB-kKßſк \n\xa0(", min_size=1, max_size=3))
Texts = dict[int, list[str]]


@contextmanager
def indexed(files: Texts) -> Iterator[sqlite3.Connection]:
    """An index that holds these texts, by file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in TABLES:
            connection.execute(statement)
        for file, texts in files.items():
            write(connection, file, texts, generation=0)
        yield connection


def write(connection: sqlite3.Connection, file: int, texts: list[str], *, generation: int) -> None:
    old = connection.execute("SELECT id, text FROM comment WHERE file = ?", (file,)).fetchall()
    connection.executemany(
        "INSERT INTO letters (letters, rowid, text) VALUES ('delete', ?, ?)",
        [(number, folded(text)) for number, text in old],
    )
    connection.execute("DELETE FROM comment WHERE file = ?", (file,))
    connection.execute(
        "INSERT OR REPLACE INTO file VALUES (?, ?, '', '', NULL, ?)", (file, f"{file:05}", generation)
    )
    for line, text in enumerate(texts):
        number = connection.execute(
            "INSERT INTO comment (file, line, name, text, author, created, status, standing, ai)"
            " VALUES (?, ?, '', ?, ?, '', 'open', 'placed', 0)",
            (file, line, text, "ada" if line % 2 else "bob"),
        ).lastrowid
        connection.execute("INSERT INTO letters (rowid, text) VALUES (?, ?)", (number, folded(text)))


def naive(files: Texts, query: str, limit: int, author: str | None) -> tuple[int, list[tuple[int, str]]]:
    pattern = compiled(query)
    found = [
        (-count, file, line, text)
        for file, texts in files.items()
        for line, text in enumerate(texts)
        if (count := pattern.count(text)) and author in (None, "ada" if line % 2 else "bob")
    ]
    return len(found), [(-count, text) for count, _, _, text in sorted(found)[:limit]]


def answers(
    corpus: Corpus, connection: sqlite3.Connection, query: str, limit: int, author: str | None
) -> tuple[int, list[tuple[int, str]]]:
    accept: Accept | None = None if author is None else lambda facts: facts.author == author
    total, chosen = corpus.found(connection, Query(compiled(query), limit=limit), accept)
    return total, [(count, facts.text) for count, facts in chosen]


_FILES = st.dictionaries(st.integers(0, 9), st.lists(_TEXTS, max_size=5), min_size=1, max_size=5)


@settings(max_examples=300)
@example({0: ["a"]}, [{0: []}], "A", 1, None)  # nothing is left of the words
@example({0: ["a", "a"]}, [{0: ["b"]}], "b", 1, None)  # as many words as before, but others
@example({0: ["b a"], 1: ["a"]}, [{0: ["a a", "a"]}], "a", 1, None)  # numbers out of order
@example({0: ["a b", "ab"], 1: ["a", "b"]}, [], r"a\sb", 1, None)
@given(
    _FILES, st.lists(_FILES, max_size=3), _QUERIES, st.integers(1, 4), st.sampled_from([None, "ada", "bob"])
)
def test_words_find_what_trying_every_comment_finds_before_and_after_changes(
    files, changes, query, limit, author
):
    corpus = Corpus()
    with indexed(files) as connection:
        corpus.bring_up_to_date(connection, ("index", 0))
        # The first question is answered without words, the second with them.
        for _ in range(2):
            assert answers(corpus, connection, query, limit, author) == naive(files, query, limit, author)
        for generation, change in enumerate(changes, 1):
            for file, texts in change.items():
                write(connection, file, texts, generation=generation)
            files = dict(sorted((files | change).items()))
            corpus.bring_up_to_date(connection, ("index", generation))
            assert answers(corpus, connection, query, limit, author) == naive(files, query, limit, author)


@pytest.mark.parametrize("query", ["cache", r"\bcache\b", "lock|cache", r"\w+", "a", r"\d{2}", "e"])
def test_frequent_words_are_found_and_counted_like_rare_ones(query):
    files = {
        file: [f"cache{' cache' * (line % 5)} lock-{file} of the caches {file + line}" for line in range(30)]
        for file in range(20)
    }
    changed = {**files, 7: ["cache " * (MOST_COUNTED + 20), "Cache " * (MOST_COUNTED + 40), "no more"]}
    corpus = Corpus()
    with indexed(files) as connection:
        corpus.bring_up_to_date(connection, ("index", 0))
        for author in (None, None, "ada"):
            assert answers(corpus, connection, query, 100, author) == naive(files, query, 100, author)
        write(connection, 7, changed[7], generation=1)
        corpus.bring_up_to_date(connection, ("index", 1))
        for author in (None, "ada"):
            assert answers(corpus, connection, query, 100, author) == naive(changed, query, 100, author)


@given(_EXPRESSIONS, _TEXTS)
def test_matches_said_to_be_within_words_are(expression, text):
    import re2

    pattern = compiled(expression)
    if pattern.refusal is None and is_within_words(expression):
        options = re2.Options()
        options.case_sensitive = False
        found = re2.compile(expression, options).finditer(text)
        assert all(match.group().split() == [match.group()] for match in found)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"\bcache(s|d)?\b", True),
        (r"[\w.]+@\w+", True),
        (r"\d{4}|TODO:", True),
        ("é+", True),
        ("a|", False),
        (r"\w*", False),
        ("(a|b?)", False),
        ("a{0,3}", False),
        (r"\b", False),
        ("a.b", False),
        ("a b", False),
        (r"a\sb", False),
        (r"\S+", False),
        (r"a\W", False),
        ("[[:^alpha:]]", False),
        (r"\Aa", False),
        (r"a\z", False),
        ("a$", False),
        (r"a\n", False),
        (r"\pZ", False),
        ("a\u2003b", False),
        ("[^a]", False),
        ("[ -z]", False),
        (r"a\x20", False),
        ("^a", False),
        ("(?s)a", False),
        ("a)(b", False),
    ],
)
def test_whether_matches_lie_within_words_is_told_from_the_expression(expression, expected):
    assert is_within_words(expression) is expected


@given(
    st.lists(st.integers(0, 300)),
    st.lists(st.integers(0, 300)),
    st.integers(1, 9),
    st.sets(st.integers(0, 300)),
)
def test_a_tally_counts_like_a_dictionary(first, second, times, among):
    tally = Tally(first)
    tally.add(Tally(second), times)
    expected = Counter(first) + Counter(second * times)
    assert list(numbers_in(tally.counted())) == sorted(expected)
    groups = [(count, list(numbers_in(some))) for count, some in tally.groups(bits(list(among)))]
    counts = sorted({expected[number] for number in among} - {0}, reverse=True)
    assert groups == [(count, sorted(n for n in among if expected[n] == count)) for count in counts]


@given(st.lists(st.integers(0, 5)), st.integers(1, 10))
def test_the_best_are_the_highest_counts_and_of_equal_ones_the_first(counts: Sequence[int], limit: int):
    expected = sorted((-count, place) for place, count in enumerate(counts) if count)[:limit]
    assert best(range(len(counts)), list(counts), limit) == [(-count, place) for count, place in expected]
