"""Searching by words and by sets of bits finds what trying every comment finds, in the same order."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.comments.search.corpus import Corpus
from holdfast.comments.search.folding import folded
from holdfast.comments.search.pattern import MOST_COUNTED, compiled
from holdfast.comments.search.query import Query
from holdfast.comments.search.schema import TABLES
from holdfast.comments.search.tally import Tally, bits, numbers_in

# Letters whose case is unusual, white space of several kinds, and what is neither.
_TEXTS = st.one_of(
    st.text(alphabet="aabbAB_9-. ßẞſKкКİ\n\t\v\x1c\x85\xa0\u2028\0", max_size=14),
    st.lists(st.sampled_from(["a", "b", "ab", "ba", "A", "b-a", "9", "ab."]), max_size=8).map(" ".join),
)
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
# Pieces of phrases, so that many queries have a shape across words and some of their matches touch.
_PHRASES = st.lists(
    st.one_of(
        st.sampled_from(["a", "b", "ab", r"\w+", "[ab]+", "a?", "b*", "(a|b)", "(a|b b)", "[^a]", r"\b"]),
        st.sampled_from([" ", r"\s", r"\s+", r"\s*", ".", r"(^|\s)", r"(\s|$)"]),
        st.sampled_from(["^", "$", ".*", ".*?", ".+", "|"]),
    ),
    min_size=2,
    max_size=6,
).map("".join)
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
_QUERIES = st.one_of(_PHRASES, _EXPRESSIONS, st.text(alphabet="abAB-kKßſк  \n\xa0(", min_size=1, max_size=5))
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
    total, chosen = corpus.found(connection, Query(compiled(query), author=author, limit=limit))
    return total, [(count, facts.text) for count, facts in chosen]


_FILES = st.dictionaries(st.integers(0, 9), st.lists(_TEXTS, max_size=5), min_size=1, max_size=5)


@settings(max_examples=400)
@example({0: ["a"]}, [{0: []}], "A", 1, None)  # nothing is left of the words
@example({0: ["a", "a"]}, [{0: ["b"]}], "b", 1, None)  # as many words as before, but others
@example({0: ["b a"], 1: ["a"]}, [{0: ["a a", "a"]}], "a", 1, None)  # numbers out of order
@example({0: ["a b", "ab"], 1: ["a", "b"]}, [], r"a\sb", 1, None)
@example({0: ["aa ba"]}, [], r"[a-z]*(^|\s)\S+[a-z]+", 1, None)
@example({0: ["a b b-a"]}, [], r"a.+.+b\b ", 1, None)
@example({0: ["b", "ab a"]}, [], r"^\w+ \w+ b|a b", 1, None)
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


@pytest.mark.parametrize(
    "query",
    r"""
    cache,\bcache\b,lock|cache,\w+,a,\d{2},e,.,\s,[aeiou],é,
    cache\s+\w+,cache cache,\w+\s+cache,cache lock, cache ,cache\s+(lock|no),ca.he,
    ^cache,\d$,(^|\s)cache(\s|$),cache.*lock,cache.+?lock,.*cache,of the caches? 2,
    \bof\s+the\b,lock.7 of,cache\s*cache,the cache|cache lock,cache.{3}lock,(of|the)\s+(caches|the)
    """.replace("\n    ", "")
    .strip("\n")
    .split(","),
)
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


def test_answers_are_right_while_words_are_gathered_beside_them():
    files = {file: [f"cache lock {file} {line}" for line in range(50)] for file in range(40)}
    corpus = Corpus(gathered_at_once=0)
    with indexed(files) as connection:
        for generation in range(200):
            if generation:
                files[generation % 40] = [f"cache {generation}", f"lock cache lock {generation}"]
                write(connection, generation % 40, files[generation % 40], generation=generation)
            corpus.bring_up_to_date(connection, ("index", generation))
            expected = naive(files, r"cache\s+\w+", 100, None)
            assert answers(corpus, connection, r"cache\s+\w+", 100, None) == expected
            if corpus.has_words and generation > 20:
                return
    raise AssertionError("the words were never gathered")


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
