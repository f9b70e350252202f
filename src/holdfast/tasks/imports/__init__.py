"""Tasks in files: those of other programs, and whole workspaces.

- How is a file read? `check_list`, `backlog_folder`, `task_master`: each takes texts and returns tasks and
  problems; none opens a file.
- How do tasks come of it, and stay up to date? `importer`.
- How does a workspace leave and come back, with ids and history? `archive`, which `export` and `restore` use.
"""
