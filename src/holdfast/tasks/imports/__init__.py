"""Imports tasks from the files of other programs, and exports and restores whole workspaces.

- Parsers: `check_list`, `backlog_folder` and `task_master` each parse one format; `sources` reads the files
  and chooses the parser.
- Import: `importer` creates and updates tasks from the parsed ones; `cycles` removes circular dependencies.
- Export: `archive` writes and parses exports, `restoration` loads them into a database.
"""
