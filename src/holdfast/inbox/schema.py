"""The tables of the inbox, and the statements that quick commands share with the store.

It holds nothing but texts and numbers, so that importing it takes no time.
"""

from __future__ import annotations

DATABASE_NAME = "inbox.sqlite"
APPLICATION_ID = 0x48464958  # "HFIX"

MIGRATIONS = (
    """
    CREATE TABLE message (
        sequence INTEGER PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,
        file TEXT NOT NULL,
        comment TEXT NOT NULL,
        line TEXT,
        author TEXT,
        time TEXT NOT NULL,
        work_tree TEXT NOT NULL,
        changed_lines TEXT,
        lease TEXT,
        lease_ends REAL,
        delivered_at TEXT
    ) STRICT;
    CREATE INDEX message_waiting ON message (sequence) WHERE delivered_at IS NULL;
    CREATE INDEX message_leased ON message (lease) WHERE lease IS NOT NULL;
    CREATE TABLE reply (
        sequence INTEGER PRIMARY KEY,
        message INTEGER NOT NULL REFERENCES message (sequence),
        text TEXT NOT NULL,
        author TEXT NOT NULL,
        time TEXT NOT NULL
    ) STRICT;
    CREATE INDEX reply_by_message ON reply (message, sequence);
    CREATE VIEW stored_message AS
        SELECT sequence, digest, file, comment, line, author, time, work_tree, changed_lines, delivered_at,
            (SELECT count(*) FROM reply WHERE reply.message = message.sequence) AS reply_count, lease
        FROM message;
    """,
)

INSERT_MESSAGE = (
    "INSERT INTO message (digest, file, comment, line, author, time, work_tree)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING"
)
ANY_PENDING = "SELECT EXISTS (SELECT 1 FROM message WHERE delivered_at IS NULL)"
