"""Searching all texts at once finds what trying every comment finds, in the same order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.comments.search.corpus import Corpus
from holdfast.comments.search.pattern import MAX_MATCHES_COUNTED, compile_query
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.search.rows import TABLES
from tests.reliability.samples import examples

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
        "(?m:^)",
        "(?-m:$)",
        r"\n",
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
    connection.execute("DELETE FROM comment WHERE file = ?", (file,))
    connection.execute(
        "INSERT OR REPLACE INTO file VALUES (?, ?, '', '', NULL, ?)", (file, f"{file:05}", generation)
    )
    for line, text in enumerate(texts):
        connection.execute(
            "INSERT INTO comment (file, line, name, text, author, created, status, standing, ai)"
            " VALUES (?, ?, '', ?, ?, '', 'open', 'placed', 0)",
            (file, line, text, "ada" if line % 2 else "bob"),
        )


def naive(files: Texts, query: str, limit: int, author: str | None) -> tuple[int, list[tuple[int, str]]]:
    pattern = compile_query(query)
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
    total, chosen = corpus.find(CommentQuery(compile_query(query), author=author, limit=limit))
    texts = dict(connection.execute("SELECT id, text FROM comment"))
    return total, [(count, texts[facts.id]) for count, facts in chosen]


_FILES = st.dictionaries(st.integers(0, 9), st.lists(_TEXTS, max_size=5), min_size=1, max_size=5)


@settings(max_examples=examples(400))
@example({0: ["a"]}, [{0: []}], "A", 1, None)  # nothing is left
@example({0: ["a", "a"]}, [{0: ["b"]}], "b", 1, None)  # as many bytes, but others
@example({0: ["b a"], 1: ["a"]}, [{0: ["a a", "a"]}], "a", 1, None)  # more than before
@example({0: ["a b", "ab"], 1: ["a", "b"]}, [], r"a\sb", 1, None)
@example({0: ["a", "", "\nb", "a\n"], 1: ["b"]}, [], r"a\s*\n*b", 4, None)  # only two together
@example({0: ["a\nb", "b"]}, [], "^b", 4, None)  # a line within a text is not its beginning
@example({0: ["b\na", "b"]}, [], "b$", 4, None)
@example({0: ["a", "b"]}, [], r"\Ab", 4, None)
@example({0: ["abba", "aba", "ab ba"]}, [], "ab|ba", 4, None)  # texts that overlap
@example({0: ["abba", "a-b", "bb"]}, [], "a|b", 4, None)
@example({0: ["ba", "b a", "\u017fa", "bsa s"]}, [], r"\bs|a", 4, None)  # a letter that is none of a word
@example({0: ["ba", "a\nb", "\nb", "B"]}, [], "^b", 4, None)
@example({0: ["a", "b"]}, [], r"(?-m:^)b", 4, None)
@example({0: ["a", "b"]}, [], "a\nb", 4, None)
@example({0: ["aa ba"]}, [], r"[a-z]*(^|\s)\S+[a-z]+", 1, None)
@example({0: ["a b b-a"]}, [], r"a.+.+b\b ", 1, None)
@example({0: ["b", "ab a"]}, [], r"^\w+ \w+ b|a b", 1, None)
@given(
    _FILES, st.lists(_FILES, max_size=3), _QUERIES, st.integers(1, 4), st.sampled_from([None, "ada", "bob"])
)
def test_searching_all_texts_finds_what_trying_every_comment_finds_before_and_after_changes(
    files, changes, query, limit, author
):
    corpus = Corpus()
    with indexed(files) as connection:
        corpus.refresh(connection, ("index", 0))
        assert answers(corpus, connection, query, limit, author) == naive(files, query, limit, author)
        for generation, change in enumerate(changes, 1):
            for file, texts in change.items():
                write(connection, file, texts, generation=generation)
            files = dict(sorted((files | change).items()))
            corpus.refresh(connection, ("index", generation))
            assert answers(corpus, connection, query, limit, author) == naive(files, query, limit, author)


@pytest.mark.parametrize(
    "query",
    r"""
    cache,\bcache\b,lock|cache,\w+,a,\d{2},e,.,\s,[aeiou],é,
    cache|lock,no|7,(?:^|\s)cache,
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
    changed = {
        **files,
        7: ["cache " * (MAX_MATCHES_COUNTED + 20), "Cache " * (MAX_MATCHES_COUNTED + 40), "no more"],
    }
    corpus = Corpus()
    with indexed(files) as connection:
        corpus.refresh(connection, ("index", 0))
        for author in (None, "ada"):
            assert answers(corpus, connection, query, 100, author) == naive(files, query, 100, author)
        write(connection, 7, changed[7], generation=1)
        corpus.refresh(connection, ("index", 1))
        for author in (None, "ada"):
            assert answers(corpus, connection, query, 100, author) == naive(changed, query, 100, author)


def test_what_reads_far_and_matches_little_is_cut_short_and_right():
    files = {file: ["a" * (line % 7) + "x" * 400 for line in range(40)] for file in range(5)}
    corpus = Corpus()
    with indexed(files) as connection:
        corpus.refresh(connection, ("index", 0))
        for query in ("a[^z]*z|a", "(?s)a.*", "x(?s:.)*b|^a", "[^a]+z|ax"):
            assert answers(corpus, connection, query, 100, None) == naive(files, query, 100, None)


def test_control_a_separator_that_nothing_checks_lets_neighbours_match_together():
    import re2

    assert re2.search(r"rate\s+limit", "rate\nlimit") is not None
