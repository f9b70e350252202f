"""The tables of what the room keeps beside the sidecars. Nothing but texts and numbers."""

from __future__ import annotations

DATABASE_NAME = "comments.sqlite"
APPLICATION_ID = 0x4846434D  # "HFCM"
NUMBERS_NAME = "comments.numbers"
LOCKS_NAME = "comments.locks"

MIGRATIONS = (
    """
    CREATE TABLE version (
        blob TEXT PRIMARY KEY,
        data BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sidecar (
        work_tree TEXT NOT NULL,
        path TEXT NOT NULL,
        digest TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (work_tree, path)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE replica (
        id TEXT NOT NULL
    ) STRICT;
    INSERT INTO replica (id) VALUES (lower(hex(randomblob(6))));
    CREATE TABLE written (
        work_tree TEXT NOT NULL,
        path TEXT NOT NULL,
        comment_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        updated TEXT NOT NULL,
        entry TEXT,
        known_elsewhere INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (work_tree, path, comment_id)
    ) STRICT, WITHOUT ROWID;
    """,
)

CACHE_NAME = "comment-places"
CACHE_APPLICATION_ID = 0x48464350  # "HFCP"
CACHE_VERSION = 2
CACHE_TABLES = """
CREATE TABLE IF NOT EXISTS place (
    work_tree TEXT NOT NULL,
    path TEXT NOT NULL,
    source TEXT NOT NULL,
    sidecar TEXT NOT NULL,
    content TEXT NOT NULL,
    settled INTEGER NOT NULL,
    standings TEXT NOT NULL,
    PRIMARY KEY (work_tree, path)
) STRICT, WITHOUT ROWID
"""
