"""Tasks: a workspace that several agents and people share, in SQLite or in PostgreSQL.

- `tools/`: which tool does what? One module for each, with what it takes, returns and says.
- `store/`: what is kept, and how does it stay right? `tasks` opens the store, `transaction` is what an
  operation works in, `lease` are claims, `creation` and `change` write tasks, `query` finds them.
- `view/`: how do rows become results, within the bytes that a model can read?
- `trackers/`: how do tasks stay in step with GitHub, Jira and others?
- `imports/`: how do tasks come out of files, and go into them? `charts/`: how are they drawn?
- `resources`, `document_resources`, `prompts`: what clients read by address and insert; `models`, `inputs`:
  what several tools share; `neighbours`: what this room wants to know from others.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
