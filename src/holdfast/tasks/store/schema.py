"""The tables of the task store, in the SQL that SQLite and PostgreSQL share.

Two columns of `task` are derived from `dependency`: `waits` is the number of unfinished tasks that the task
or an ancestor depends on, `unblocks` the number of open tasks that depend on the task. They are stored so
that finding the next task is a single index lookup. Every transaction that changes a dependency or a state
recomputes them with `dependencies.refresh_counts`.
"""

from __future__ import annotations

DATABASE_NAME = "tasks.sqlite"
APPLICATION_ID = 0x48465441  # "HFTA"

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE workspace (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        gate TEXT NOT NULL DEFAULT 'criteria',
        stack TEXT NOT NULL DEFAULT '[]',
        next_number INTEGER NOT NULL DEFAULT 1,
        created_at REAL NOT NULL
    ) STRICT;
    CREATE TABLE task (
        uid TEXT PRIMARY KEY,
        workspace TEXT NOT NULL REFERENCES workspace (id),
        n INTEGER NOT NULL,
        title TEXT NOT NULL,
        description TEXT NOT NULL,
        status TEXT NOT NULL
            CHECK (status IN ('backlog', 'in-progress', 'blocked', 'review', 'done', 'dropped')),
        priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
        progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
        parent TEXT REFERENCES task (uid),
        milestone TEXT,
        criteria TEXT NOT NULL,
        evidence TEXT NOT NULL,
        notes TEXT,
        plan TEXT,
        rank REAL NOT NULL,
        version INTEGER NOT NULL,
        waits INTEGER NOT NULL DEFAULT 0,
        unblocks INTEGER NOT NULL DEFAULT 0,
        created_by TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        started_at REAL,
        completed_at REAL,
        issue_number INTEGER,
        issue_url TEXT,
        claim_agent TEXT,
        claim_session TEXT,
        claim_token TEXT,
        claim_since REAL,
        claim_expires REAL,
        UNIQUE (workspace, n)
    ) STRICT;
    CREATE INDEX task_ready ON task (workspace, priority, unblocks DESC, rank, n)
        WHERE status = 'backlog' AND waits = 0;
    CREATE INDEX task_claimed ON task (workspace, claim_expires) WHERE claim_agent IS NOT NULL;
    CREATE INDEX task_status ON task (workspace, status, priority, n, waits);
    CREATE INDEX task_order ON task (workspace, priority, n);
    CREATE INDEX task_holding_up ON task (workspace, unblocks DESC, n) WHERE unblocks > 0;
    CREATE INDEX task_parent ON task (parent) WHERE parent IS NOT NULL;
    CREATE INDEX task_completed ON task (workspace, completed_at) WHERE completed_at IS NOT NULL;
    CREATE TABLE dependency (
        task TEXT NOT NULL REFERENCES task (uid),
        needs TEXT NOT NULL REFERENCES task (uid),
        kind TEXT NOT NULL
            CHECK (kind IN ('blocks', 'related', 'discovered_from', 'duplicates', 'supersedes')),
        PRIMARY KEY (task, needs, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dependency_needs ON dependency (needs, kind, task);
    CREATE TABLE label (
        task TEXT NOT NULL REFERENCES task (uid),
        label TEXT NOT NULL,
        PRIMARY KEY (task, label)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX label_label ON label (label, task);
    CREATE TABLE file (
        task TEXT NOT NULL REFERENCES task (uid),
        path TEXT NOT NULL,
        role TEXT NOT NULL DEFAULT '',
        line_start INTEGER,
        line_end INTEGER,
        PRIMARY KEY (task, path)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX file_path ON file (path, task);
    CREATE TABLE link (
        task TEXT NOT NULL REFERENCES task (uid),
        kind TEXT NOT NULL,
        ref TEXT NOT NULL,
        uri TEXT,
        title TEXT,
        PRIMARY KEY (task, kind, ref)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX link_ref ON link (kind, ref, task);
    CREATE TABLE content (
        sha256 TEXT PRIMARY KEY,
        data BLOB NOT NULL
    ) STRICT;
    CREATE TABLE attachment (
        task TEXT NOT NULL REFERENCES task (uid),
        name TEXT NOT NULL,
        mime TEXT NOT NULL,
        sha256 TEXT NOT NULL REFERENCES content (sha256),
        size INTEGER NOT NULL,
        PRIMARY KEY (task, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attachment_content ON attachment (sha256);
    CREATE TABLE event (
        seq INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL REFERENCES workspace (id),
        at REAL NOT NULL,
        actor TEXT NOT NULL,
        session TEXT,
        task TEXT REFERENCES task (uid),
        version INTEGER NOT NULL,
        type TEXT NOT NULL,
        before TEXT,
        after TEXT,
        reason TEXT
    ) STRICT;
    CREATE UNIQUE INDEX event_task ON event (task, version);
    CREATE TABLE name (
        workspace TEXT NOT NULL REFERENCES workspace (id),
        name TEXT NOT NULL,
        task TEXT NOT NULL REFERENCES task (uid),
        PRIMARY KEY (workspace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rule (
        id TEXT PRIMARY KEY,
        workspace TEXT NOT NULL REFERENCES workspace (id),
        scope TEXT NOT NULL,
        type TEXT NOT NULL,
        text TEXT NOT NULL,
        confidence REAL NOT NULL,
        source TEXT NOT NULL,
        active INTEGER NOT NULL,
        created_at REAL NOT NULL
    ) STRICT;
    CREATE INDEX rule_workspace ON rule (workspace, active, scope, created_at);
    CREATE TABLE template (
        workspace TEXT NOT NULL REFERENCES workspace (id),
        name TEXT NOT NULL,
        body TEXT NOT NULL,
        updated_at REAL NOT NULL,
        PRIMARY KEY (workspace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE session (
        id TEXT PRIMARY KEY,
        workspace TEXT NOT NULL REFERENCES workspace (id),
        agent TEXT NOT NULL,
        started REAL NOT NULL,
        seen REAL NOT NULL,
        handoff TEXT
    ) STRICT;
    CREATE INDEX session_agent ON session (workspace, agent, seen);
    """,
    """
    CREATE TABLE tracker (
        workspace TEXT NOT NULL REFERENCES workspace (id),
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        settings TEXT NOT NULL,
        mark TEXT NOT NULL,
        connected INTEGER NOT NULL,
        created_at REAL NOT NULL,
        synced_at REAL,
        PRIMARY KEY (workspace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counterpart (
        workspace TEXT NOT NULL,
        tracker TEXT NOT NULL,
        origin TEXT NOT NULL,
        task TEXT NOT NULL REFERENCES task (uid),
        url TEXT,
        base TEXT NOT NULL,
        seen TEXT NOT NULL,
        PRIMARY KEY (workspace, tracker, origin),
        FOREIGN KEY (workspace, tracker) REFERENCES tracker (workspace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX counterpart_task ON counterpart (workspace, tracker, task);
    """,
    """
    CREATE INDEX task_milestone ON task (workspace, milestone)
        WHERE milestone IS NOT NULL AND status NOT IN ('done', 'dropped');
    """,
    """
    ALTER TABLE template ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE template ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE template ADD COLUMN updated_by TEXT NOT NULL DEFAULT '';
    """,
)
