"""Milestones and issues, kept as operations in git refs and merged by union: an operation-based CRDT.

- `tools/`: what the room offers, one module for each tool. Only `holdfast.toolsets` imports it.
- `store`: the room itself; `entity` is what it hands out.
- `log/`: operations, the state they make, and this clone's log. `replication` is sync with other clones.
- `index/`: the logs as a SQLite database, and every question to it.
- `filter/`: the language of `--filter`.

Importing the package loads nothing.
"""
