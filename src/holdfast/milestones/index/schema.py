"""The tables of the index, and SQL expressions on them. Only constants.

The index is derived from the logs and may be deleted at any time. A file with another `SCHEMA_VERSION` is
rebuilt.

- Times are seconds since 1970. `…_place` is the Lamport time of the same operation; it orders operations of
  the same second. `due_at` is the first second of the day in `due`.
- `comments` is the number of comments that are not deleted.
- Columns named `…_folded` are `str.casefold`ed, and NULL if `lower` in SQL gives the same result: see
  `TITLE_FOLDED` and `TEXT_FOLDED`.
- `tip` holds the refs that the index was folded from. It is fresh if they equal those that
  `storage.git.ref_files` reads below `NAMESPACE`.
- `operation.log` is the log in which an operation was found.
- `damage` has the logs that could not be read to their beginning, with the reason; every read tries again.
  `flaw` has, for each log, one item that was skipped although the rest was read; that is permanent.
- The keys of large tables are in `INDEXES`, because sorting once is faster than inserting in order.
"""

from __future__ import annotations

NAMESPACE = "refs/holdfast/"
LOGS = "refs/holdfast/log/"
TRACKED = "refs/holdfast/remotes/"
TRACKED_BRANCHES = "refs/holdfast/branches/"
REMOTE_CONFIGURATION = ('[remote "{remote}"]', f"\tfetch = +{LOGS}*:{TRACKED}{{remote}}/*")
"""The git configuration for each remote that makes a plain `git fetch` fetch the logs."""

INDEX_NAME = "milestones"
"""The index is `<store>/milestones-<random>.sqlite`; the small file `<store>/milestones.index` names it."""

APPLICATION_ID = 0x48464D49  # "HFMI"
SCHEMA_VERSION = 3

TABLES = """
CREATE TABLE tip (ref TEXT PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE log_end (id TEXT PRIMARY KEY, committed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE damage (ref TEXT PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE flaw (log TEXT PRIMARY KEY, text TEXT NOT NULL, is_damage INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE clock (lamport INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
CREATE TABLE operation (
    entity TEXT NOT NULL,
    lamport INTEGER NOT NULL,
    id TEXT NOT NULL,
    log TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE request (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, entity TEXT NOT NULL, operations TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE entity (
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    status_rank INTEGER NOT NULL,
    author TEXT NOT NULL,
    assignee TEXT,
    milestone TEXT,
    due TEXT,
    due_at INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    created_place INTEGER NOT NULL,
    updated_place INTEGER NOT NULL,
    comments INTEGER NOT NULL,
    contested INTEGER NOT NULL,
    labels TEXT NOT NULL,
    title_folded TEXT,
    text_folded TEXT
);
CREATE TABLE dependency (
    entity TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (entity, target)
) WITHOUT ROWID;
CREATE TABLE link (entity TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (entity, target)) WITHOUT ROWID;
CREATE TABLE claim (
    entity TEXT NOT NULL, place INTEGER NOT NULL, actor TEXT NOT NULL, until TEXT NOT NULL,
    replica TEXT NOT NULL, PRIMARY KEY (entity, place)
) WITHOUT ROWID;
"""

INDEXES = """
CREATE UNIQUE INDEX operation_by_name ON operation (entity, id);
CREATE UNIQUE INDEX entity_by_id ON entity (id);
CREATE INDEX entity_by_update ON entity (kind, updated, updated_place, id, status);
CREATE INDEX entity_of_milestone ON entity (milestone, status) WHERE milestone IS NOT NULL;
CREATE INDEX dependency_by_target ON dependency (target, entity);
"""

TITLE_FOLDED = "coalesce(entity.title_folded, lower(entity.title))"
TEXT_FOLDED = "coalesce(entity.text_folded, lower(entity.title || char(10) || entity.description))"

OPEN_ISSUES = (
    "(SELECT count(*) FROM entity AS inner_issue WHERE inner_issue.milestone = entity.id"
    " AND inner_issue.kind = 'issue' AND inner_issue.status = 'open')"
)

SUMMARY_COLUMNS = (  # those of `entity.Summary`, in the order of its fields, but for the last: open issues
    "entity.id, entity.kind, entity.title, entity.status, entity.labels, entity.author, entity.assignee,"
    " entity.due, entity.milestone, entity.created, entity.updated, entity.comments"
)
