"""Tasks that several agents and people share, stored in SQLite or PostgreSQL.

- `tools/`: the operations, with their inputs, results and text output.
- `store/`: the database. `tasks` opens it, `transaction` is what an operation works in, `lease` implements
  claims, `creation` and `change` write tasks, `query` finds them.
- `texts/`: rules, documents and prompt texts of a workspace.
- `view/`: converts rows to results, within a byte budget that suits a model.
- `trackers/`: synchronises tasks with GitHub, Jira and others.
- `imports/`: imports tasks from other programs' files, exports and restores workspaces.
- `charts/`: draws tasks as pictures.
- `resources`, `task_resources`, `file_resources`, `document_resources`: what clients read by URI.
  `event_feed`: what they follow over HTTP. `prompts`: instructions that users insert.
- `models`, `inputs`, `link_targets`: shared by several tools. `consistency`: the checks of an audit.
  `stacks`: the starter tasks and rules of a workspace.
- `neighbours`: the interface through which tasks read the other rooms of a repository.

Importing the package loads nothing. Importing its `tools` registers the operations with `toolset`.
"""
