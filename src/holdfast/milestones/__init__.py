"""Milestones and issues, stored as operations in git refs and merged by union: an operation-based CRDT.

- `tools/`: one module for each tool. Only `holdfast.toolsets` imports it.
- `store`: the API of the package; `entity` has the values it returns.
- `log/`: operations, the state computed from them, and this clone's log. `replication` is the sync with
  others: `log_fetch` fetches their logs, in each `log_namespace`.
- `index/`: a SQLite index of the logs, and every query against it.
- `imports`: issues of other trackers, as drafts; `creation` stores those that are new.
- `filter/`: the language of `--filter`.

Importing the package loads nothing.
"""
