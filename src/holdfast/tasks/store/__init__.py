"""The task database: one SQLite file, or PostgreSQL.

- Entry points: `tasks` opens the database, `transaction` is what an operation works in, `session` identifies
  its caller and renews the caller's claims.
- Claims: `lease`, with fencing tokens.
- Writes: `creation`, `change` (optimistic locking by version), `attachment`; `gate` decides whether a task
  may be marked as done.
- Dependencies: `dependencies`. Event log: `history`.
- Search: `query`, with keyset pagination; `census` caches totals.
- Tables: `schema`, `records`, `rows`, `items`, `statements`, `states`. The workspace: `workspace`.
- Change detection for subscriptions: `fingerprints`.
"""
