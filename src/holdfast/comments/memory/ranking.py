"""Which memories answer a question, best first.

Words are ranked by BM25. What is in the files that a question names, and what was written last, are further
rankings; reciprocal rank fusion combines them (Cormack, Clarke and Büttcher, SIGIR 2009).
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from holdfast.comments.memory.word_index import words_of

_MAX_SIMILAR = 10
"""Memories that are compared with a new one. A judgement: the same words rank among the first."""

MAX_RANKED = 200
"""Memories that one ranking holds. A judgement: ten times what fits into an answer."""

_MAX_POSTINGS = 5_000
"""Occurrences of words that are ranked for one query, rarest words first. FTS5 ranks some 400 in a
millisecond (`bench/memory_recall.py`), and words that occur in more memories hardly distinguish any."""

_FUSION = 60
"""The constant of reciprocal rank fusion, as in the paper."""

_FILE_WEIGHT = 2.0
"""Of a word in the path or the symbol, against one in the text. A judgement: it says what it is about."""

_MAX_FILES = 20
"""Files changed last whose memories count as those of this session. A judgement: a day's work."""

_AT_HAND_WEIGHT = 2
"""Of the rankings by held tasks and by files changed last, against those of the latest memories and of those
about the whole repository. A judgement: what is at hand comes before what is merely new."""

_STOP_WORDS = (
    "a about an and any are as at be by can do does for from has have how i if in into is it its know me my "
    "of on or our should that the their this to us was we were what when where which why will with you"
)
_COLUMNS = (
    "SELECT memory.id, memory.name, file.path, memory.folder FROM memory JOIN file ON file.id = memory.file"
    " WHERE +memory.retired <= ? AND "
)
"""The columns of `Hit`; the parameter is 1 if retired memories are wanted as well, else 0. A plus sign before
a column keeps SQLite from using its index, as most memories have the same value there."""

_BY_NAME = _COLUMNS + "memory.name = ? LIMIT 1"
_BY_IDS = _COLUMNS + "memory.id IN ({})"
_IN_FOLDER = _COLUMNS + "folder = ? ORDER BY memory.updated DESC"
_IN_FILES = _COLUMNS + "+folder IS NULL AND file.path IN ({}) ORDER BY memory.line"
_FILES_BELOW = (
    _COLUMNS + "+folder IS NULL AND file.path >= ? AND file.path < ? ORDER BY file.path, memory.line"
)
_FOLDERS_BELOW = _COLUMNS + "folder >= ? AND folder < ? ORDER BY folder, memory.updated DESC"
_LAST_PATH = "\U0010ffff"
"""A text after every path."""
_LATEST = _COLUMNS + "1 ORDER BY memory.updated DESC, memory.id LIMIT ?"
_FILES = "SELECT path FROM file WHERE EXISTS (SELECT 1 FROM memory WHERE memory.file = file.id)"
_COUNT = "SELECT count(*) FROM memory WHERE retired <= ?"
_COUNT_RETIRED = "SELECT count(*) FROM memory WHERE retired = 1"
_NOTES = (
    "SELECT memory.id, file.source, memory.note FROM memory JOIN file ON file.id = memory.file"
    " WHERE memory.id IN ({})"
)
_DAMAGED = "SELECT path FROM file WHERE damage IS NOT NULL ORDER BY path"
_RETIRED_IDS = "SELECT id FROM memory WHERE retired = 1"
_WORDS_OF = "SELECT rowid, text FROM memory_words WHERE rowid IN ({})"
_RANKED = (
    "SELECT rowid FROM memory_words WHERE memory_words MATCH ? AND rowid >= ?"
    " ORDER BY bm25(memory_words, 1.0, ?)"
)
_COUNT_WORD = "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT ?)"
_NTH_LAST = "SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?"


class Hit(NamedTuple):
    """A memory in the index."""

    id: int
    name: str
    """The id that tools show."""
    path: str
    folder: str | None


class IndexedMemory(NamedTuple):
    """A memory as it was indexed."""

    path: str
    name: str
    source: str
    """The signature of the source for which the note's location is valid."""
    note: str
    """See `word_index.note_from_json`."""


class Question(NamedTuple):
    """What to recall: what is set narrows or ranks the memories."""

    words: str = ""
    paths: tuple[str, ...] = ()
    """Files or folders; their memories rank higher, or are the only ones if `only_paths`."""
    only_paths: bool = False
    retired: bool = False
    """Whether retired memories are wanted as well."""


def find(connection: sqlite3.Connection, question: Question) -> tuple[int, list[Hit]]:
    """Return how many memories a question has, and the first of them, best first."""
    scope = _about(connection, question) if question.only_paths else None
    if scope is not None and not question.words:
        return len(scope), scope[:MAX_RANKED]
    total, by_words = _by_words(connection, question.words, retired=question.retired)
    if scope is not None:
        wanted = {hit.id for hit in scope}
        chosen = [hit for hit in by_words if hit.id in wanted]
        return len(chosen), chosen
    if not question.paths:
        return total, by_words
    nearby = _about(connection, question)[:MAX_RANKED]
    fused = _fuse([by_words, nearby])
    return max(total, len(fused)), fused


def session(
    connection: sqlite3.Connection, root: str, topics: Sequence[Question], *, retired: bool = False
) -> tuple[int, list[Hit]]:
    """Return what is most useful without a question: on held tasks, on files changed last, written last."""
    rankings = [find(connection, topic)[1] for topic in topics]
    paths = [path for (path,) in connection.execute(_FILES)]
    changed = sorted(paths, key=lambda path: -_modified(root, path))[:_MAX_FILES]
    rankings.append(_of_files(connection, changed, retired=retired)[:MAX_RANKED])
    rankings *= _AT_HAND_WEIGHT
    rankings.append(_hits(connection.execute(_LATEST, (retired, MAX_RANKED))))
    rankings.append(_hits(connection.execute(_IN_FOLDER, (retired, "")))[:MAX_RANKED])
    return connection.execute(_COUNT, (retired,)).fetchone()[0], _fuse(rankings)


def similar(connection: sqlite3.Connection, text: str) -> list[tuple[Hit, frozenset[str]]]:
    """Return the memories that share most words with a text, each with the words that it has."""
    _, hits = _by_words(connection, text, retired=False, limit=_MAX_SIMILAR)
    texts = dict(_in_list(connection, _WORDS_OF, [hit.id for hit in hits]))
    return [(hit, frozenset(texts[hit.id].split())) for hit in hits]


def by_name(connection: sqlite3.Connection, name: str) -> list[IndexedMemory]:
    """Return the memory with an id, if there is one."""
    return indexed_notes(connection, _hits(connection.execute(_BY_NAME, (True, name))))


def indexed_notes(connection: sqlite3.Connection, hits: Sequence[Hit]) -> list[IndexedMemory]:
    """Return the memories of hits as they were indexed, in order."""
    notes = {row[0]: row[1:] for row in _in_list(connection, _NOTES, [hit.id for hit in hits])}
    return [IndexedMemory(hit.path, hit.name, *notes[hit.id]) for hit in hits]


def damaged(connection: sqlite3.Connection) -> list[str]:
    """Return the files whose comments cannot be read."""
    return [path for (path,) in connection.execute(_DAMAGED)]


def count_retired(connection: sqlite3.Connection) -> int:
    """Return how many memories are retired."""
    (count,) = connection.execute(_COUNT_RETIRED).fetchone()
    return int(count)


def _by_words(
    connection: sqlite3.Connection, text: str, *, retired: bool, limit: int = MAX_RANKED
) -> tuple[int, list[Hit]]:
    match, first_row = _match(connection, text)
    if not match:
        return 0, []
    unwanted = frozenset() if retired else frozenset(connection.execute(_RETIRED_IDS))
    ranked = connection.execute(_RANKED, (match, first_row, _FILE_WEIGHT))
    ids = [row[0] for row in ranked if row not in unwanted]
    found = {hit.id: hit for hit in _hits(_in_list(connection, _BY_IDS, ids[:limit], True))}
    return len(ids), [found[row] for row in ids[:limit]]


def _match(connection: sqlite3.Connection, text: str) -> tuple[str, int]:
    """Return an FTS5 expression for the rarest words of a text, and the row from which on they are sought."""
    given = list(dict.fromkeys(words_of(text)))
    words = [word for word in given if word not in _STOP_WORDS.split()] or given
    limit = _MAX_POSTINGS + 1
    counts = sorted(
        (connection.execute(_COUNT_WORD, (f'"{word}"', limit)).fetchone()[0], word) for word in words
    )
    chosen: list[str] = []
    postings = 0
    for count, word in counts:
        if count and (not chosen or postings + count <= _MAX_POSTINGS):
            chosen.append(f'"{word}"')
            postings += count
    first_row = 0
    if postings > _MAX_POSTINGS:  # a single word that is everywhere: only the memories indexed last
        (first_row,) = connection.execute(_NTH_LAST, (chosen[0], _MAX_POSTINGS)).fetchone()
    return " OR ".join(chosen), first_row


def _about(connection: sqlite3.Connection, question: Question) -> list[Hit]:
    """Return the memories on the files of a question, then those on the folders that they are in."""
    retired, hits = question.retired, []
    for path in question.paths:
        parts = path.split("/") if path else []
        hits += _of_files(connection, [path], retired=retired)
        # "0" comes after "/", so the texts between are those that begin with the path and a slash.
        below = (retired, f"{path}/", f"{path}0") if path else (retired, "\x01", _LAST_PATH)
        for query in (_FILES_BELOW, _FOLDERS_BELOW):
            hits += _hits(connection.execute(query, below))
        # Those about the whole repository are about every path, so they are no reason to rank one higher.
        for count in range(len(parts), -1 if question.only_paths else 0, -1):
            hits += _hits(connection.execute(_IN_FOLDER, (retired, "/".join(parts[:count]))))
    return list(dict.fromkeys(hits))


def _of_files(connection: sqlite3.Connection, paths: Sequence[str], *, retired: bool) -> list[Hit]:
    """Return the memories in files, in the order of the files and of their lines."""
    order = {path: number for number, path in enumerate(paths)}
    return sorted(_hits(_in_list(connection, _IN_FILES, paths, retired)), key=lambda hit: order[hit.path])


def _in_list(
    connection: sqlite3.Connection, query: str, members: Sequence[object], *first: object
) -> Iterable[Any]:
    return connection.execute(query.format(",".join("?" * len(members))), (*first, *members)).fetchall()


def _hits(rows: Iterable[Any]) -> list[Hit]:
    return list(map(Hit._make, rows))


def _fuse(rankings: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Combine rankings by reciprocal rank fusion."""
    scores: dict[Hit, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit] += 1 / (_FUSION + rank)
    return sorted(scores, key=lambda hit: -scores[hit])


def _modified(root: str, path: str) -> int:
    try:
        return os.stat(f"{root}/{path}").st_mtime_ns
    except OSError:
        return 0
