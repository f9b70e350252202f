"""The tables of the search index. All of it is derived from the sidecars and may be thrown away."""

from __future__ import annotations

APPLICATION_ID = 0x48464353  # "HFCS"
VERSION = 1
NAME = "comment-search"

TABLES = (
    "CREATE TABLE state (token TEXT NOT NULL, generation INTEGER NOT NULL) STRICT",
    """
    CREATE TABLE file (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        signature TEXT NOT NULL,
        source TEXT NOT NULL,
        damage TEXT,
        generation INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE comment (
        id INTEGER PRIMARY KEY,
        file INTEGER NOT NULL,
        line INTEGER NOT NULL,
        end_line INTEGER,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        tag TEXT,
        author TEXT NOT NULL,
        created TEXT NOT NULL,
        moment INTEGER,
        status TEXT NOT NULL,
        standing TEXT NOT NULL,
        reason TEXT,
        ai INTEGER NOT NULL,
        model TEXT,
        confidence REAL
    ) STRICT
    """,
    "CREATE INDEX comment_of_file ON comment (file, line, name)",
    # Which comments contain which three letters in a row. Texts are not kept a second time.
    """
    CREATE VIRTUAL TABLE letters USING fts5 (
        text, content = '', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
    )
    """,
)
