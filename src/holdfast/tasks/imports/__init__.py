"""Tasks in files: import from other programs, and export and restore of whole workspaces.

- Parsers: `check_list`, `backlog_folder`, `task_master` turn texts into tasks and problems; `sources` reads
  the files and picks the parser.
- Import: `importer` creates and updates tasks from what was parsed; `cycles` removes circular dependencies.
- Archives: `archive` writes and parses an export, `restoration` loads it into a database.
"""
