"""The task database: one SQLite file, or PostgreSQL.

- Claims: `lease`, with fencing tokens; `session` identifies the caller and renews their claims.
- Writes: `creation`, `change` (optimistic locking by version), `attachment`; `gate` decides what may be done.
- Dependencies: `dependencies`. Event log: `history`. Search: `query`, with keyset pagination; `census` caches
  totals.
- Rows: `records`, `rows`, `items`, `statements`, `states`, `schema`. The workspace itself: `workspace`.
- Change detection for subscriptions: `fingerprints`.
"""
