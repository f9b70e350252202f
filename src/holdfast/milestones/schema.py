"""The tables of the index, in texts and numbers only, since quick commands import this module.

The index is derived from the logs and may be deleted at any time. A file of another `SCHEMA_VERSION` is built
anew. Times are seconds since 1970; `due_at` is the first second of the day in `due`; columns named `…_folded`
are `str.casefold`ed. `comments` counts those that are not deleted. `tip` holds the state of the refs that the
rest was folded from: the index is fresh when it equals what `storage.ref_files` reads below `NAMESPACE`.
"""

from __future__ import annotations

NAMESPACE = "refs/holdfast/"
LOGS = "refs/holdfast/log/"
TRACKED = "refs/holdfast/remotes/"

INDEX_NAME = "milestones"
"""The index is `<store>/milestones-<random>.sqlite`; the small file `<store>/milestones.index` names it."""

APPLICATION_ID = 0x48464D49  # "HFMI"
SCHEMA_VERSION = 1

TABLES = """
CREATE TABLE tip (ref TEXT PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE log_end (id TEXT PRIMARY KEY, committed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE damage (ref TEXT PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE clock (lamport INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
CREATE TABLE operation (
    entity TEXT NOT NULL,
    lamport INTEGER NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (entity, lamport, id)
) WITHOUT ROWID;
CREATE TABLE request (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, entity TEXT NOT NULL, operations TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE entity (
    id TEXT NOT NULL PRIMARY KEY,
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
    comments INTEGER NOT NULL,
    contested INTEGER NOT NULL,
    labels TEXT NOT NULL,
    title_folded TEXT NOT NULL,
    text_folded TEXT NOT NULL
);
CREATE TABLE label (
    entity TEXT NOT NULL, label TEXT NOT NULL, folded TEXT NOT NULL, PRIMARY KEY (entity, label)
) WITHOUT ROWID;
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
CREATE INDEX entity_by_update ON entity (kind, updated, id);
CREATE INDEX entity_open_by_update ON entity (kind, updated, id) WHERE status <> 'closed';
CREATE INDEX entity_by_creation ON entity (kind, created, id);
CREATE INDEX entity_of_milestone ON entity (milestone, status) WHERE milestone IS NOT NULL;
CREATE INDEX label_by_name ON label (label, entity);
CREATE INDEX dependency_by_target ON dependency (target, entity);
"""

OPEN_ISSUES = (
    "(SELECT count(*) FROM entity AS inner_issue WHERE inner_issue.milestone = entity.id"
    " AND inner_issue.kind = 'issue' AND inner_issue.status = 'open')"
)

SUMMARY_COLUMNS = (
    "entity.id, entity.kind, entity.title, entity.status, entity.labels, entity.author, entity.assignee,"
    " entity.due, entity.milestone, entity.created, entity.updated, entity.comments"
)
