"""The tables of the inbox, and its SQL statements.

A message is pending if it was neither delivered nor withdrawn, and deliverable if no lease on it is in force
either. A lease is in force until it ends, but not if its end is further away than a lease lasts: then the
clock was set back after the lease was taken. That comparison allows 60 more seconds, because a reader reads
the clock before it waits for the write lock.

Both the store and quick commands use this module. It contains only strings and numbers, so that importing it
takes little time.
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
    """
    ALTER TABLE message ADD COLUMN withdrawn_at TEXT;
    DROP INDEX message_waiting;
    CREATE INDEX message_waiting ON message (sequence) WHERE delivered_at IS NULL AND withdrawn_at IS NULL;
    CREATE VIEW pending_message AS SELECT * FROM message WHERE delivered_at IS NULL AND withdrawn_at IS NULL;
    DROP VIEW stored_message;
    CREATE VIEW stored_message AS
        SELECT sequence, digest, file, comment, line, author, time, work_tree, changed_lines, delivered_at,
            withdrawn_at,
            (SELECT count(*) FROM reply WHERE reply.message = message.sequence) AS reply_count, lease
        FROM message;
    """,
)

INSERT_MESSAGE = (
    "INSERT INTO message (digest, file, comment, line, author, time, work_tree)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING"
)
ANY_PENDING = "SELECT EXISTS (SELECT 1 FROM pending_message)"

HAS_DELIVERABLE = (
    "SELECT EXISTS (SELECT 1 FROM pending_message"
    " WHERE lease IS NULL OR lease_ends <= :now OR lease_ends > :now + :lease_seconds + 60)"
)
COUNT_DELIVERABLE = (
    "SELECT count(*) FROM pending_message"
    " WHERE lease IS NULL OR lease_ends <= :now OR lease_ends > :now + :lease_seconds + 60"
)
COUNT_ABANDONED = (
    "SELECT count(*) FROM pending_message WHERE lease IS NOT NULL"
    " AND (lease_ends <= :now OR lease_ends > :now + :lease_seconds + 60)"
)
LEASE_OLDEST = (
    "UPDATE message SET lease = :lease, lease_ends = :now + :lease_seconds WHERE sequence IN ("
    " SELECT sequence FROM pending_message"
    " WHERE lease IS NULL OR lease_ends <= :now OR lease_ends > :now + :lease_seconds + 60"
    " ORDER BY sequence LIMIT :limit)"
)
WITHDRAW = (
    "UPDATE message SET withdrawn_at = :time WHERE sequence IN ("
    " SELECT sequence FROM pending_message WHERE sequence = :sequence"
    " AND (lease IS NULL OR lease_ends <= :now OR lease_ends > :now + :lease_seconds + 60))"
)
LEASED = "SELECT * FROM stored_message WHERE lease = :lease ORDER BY sequence"
MARK_DELIVERED = "UPDATE message SET delivered_at = ?, lease = NULL, lease_ends = NULL WHERE lease = ?"
RELEASE = "UPDATE message SET lease = NULL, lease_ends = NULL WHERE lease = ?"
RELEASE_ONE = "UPDATE message SET lease = NULL, lease_ends = NULL WHERE lease = ? AND sequence = ?"
SET_CHANGED_LINES = "UPDATE message SET changed_lines = ? WHERE sequence = ? AND changed_lines IS NULL"

MESSAGES_AFTER = {
    "pending": (
        "SELECT * FROM stored_message WHERE sequence > ? AND delivered_at IS NULL AND withdrawn_at IS NULL"
        " ORDER BY sequence LIMIT ?"
    ),
    "delivered": (
        "SELECT * FROM stored_message"
        " WHERE sequence > ? AND delivered_at IS NOT NULL ORDER BY sequence LIMIT ?"
    ),
    "withdrawn": (
        "SELECT * FROM stored_message"
        " WHERE sequence > ? AND withdrawn_at IS NOT NULL ORDER BY sequence LIMIT ?"
    ),
    "all": "SELECT * FROM stored_message WHERE sequence > ? ORDER BY sequence LIMIT ?",
}
PENDING_BY_FILE = (
    "SELECT * FROM stored_message WHERE delivered_at IS NULL AND withdrawn_at IS NULL"
    " AND file IN (SELECT value FROM json_each(?)) ORDER BY sequence LIMIT ?"
)
COUNT_BY_STATE = {
    "pending": "SELECT count(*) FROM pending_message",
    "delivered": "SELECT count(*) FROM message WHERE delivered_at IS NOT NULL",
    "withdrawn": "SELECT count(*) FROM message WHERE withdrawn_at IS NOT NULL",
    "all": "SELECT count(*) FROM message",
}
NEWEST = "SELECT * FROM stored_message ORDER BY sequence DESC LIMIT ?"
BY_DIGEST = "SELECT * FROM stored_message WHERE digest = ?"
# Digests are hexadecimal: those with a prefix sort between the prefix and the prefix followed by "g". Six are
# enough for an error message about an ambiguous prefix.
BY_DIGEST_PREFIX = (
    "SELECT * FROM stored_message WHERE digest >= ? AND digest < ? || 'g' ORDER BY digest LIMIT 6"
)

# For hooks, in the order of `inbox.quick.OpenRemark`.
_OPEN_REMARKS = "SELECT digest, file, coalesce(line, changed_lines), comment FROM stored_message"
OPEN_REMARKS_ON = (
    f"{_OPEN_REMARKS} WHERE file = ? AND withdrawn_at IS NULL AND reply_count = 0"
    " ORDER BY sequence DESC LIMIT ?"
)
UNANSWERED = (
    f"{_OPEN_REMARKS} WHERE delivered_at >= ? AND withdrawn_at IS NULL AND reply_count = 0"
    " ORDER BY sequence LIMIT ?"
)

ANY_WITHOUT_LINES = (
    "SELECT EXISTS (SELECT 1 FROM pending_message WHERE line IS NULL AND changed_lines IS NULL)"
)
LEASED_REMARKS = (
    "SELECT digest, file, coalesce(line, changed_lines), comment, time, sequence FROM stored_message"
    " WHERE lease = :lease ORDER BY sequence"
)

REPLIES = "SELECT text, author, time FROM reply WHERE message = ? ORDER BY sequence"
INSERT_REPLY = "INSERT INTO reply (message, text, author, time) VALUES (?, ?, ?, ?)"

LATEST_CHANGES = (
    "SELECT (SELECT max(sequence) FROM message), (SELECT max(sequence) FROM reply),"
    " (SELECT count(*) FROM pending_message)"
)
