"""Tasks: a workspace that several agents and people share, in SQLite or in PostgreSQL.

- `tools/`: the operations, with their inputs, results and text output.
- `store/`: the database. `tasks` opens it, `transaction` is what an operation works in, `lease` implements
  claims, `creation` and `change` write tasks, `query` finds them.
- `texts/`: rules, documents and prompt texts of a workspace.
- `view/`: turns rows into results, within a byte budget that suits a model.
- `trackers/`: synchronises tasks with GitHub, Jira and others.
- `imports/`: reads tasks from files of other programs, exports and restores workspaces. `charts/`: draws
  them.
- `resources`, `task_resources`, `file_resources`, `document_resources`, `event_feed`, `prompts`: what clients
  read by URI, subscribe to, or insert. `models`, `inputs`, `link_targets`: what several tools share.
- `neighbours`: the interface through which this room asks the other rooms.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
