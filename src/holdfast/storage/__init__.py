"""The only code that touches disk, git, a database or the network.

| Folder | Question |
| --- | --- |
| `files/` | How is a file read and written so that it is whole, durable and inside the work tree? |
| `git/` | Where is the repository, what do its objects and refs hold, and how are they changed? |
| `sql/` | How is a row kept, in SQLite or in PostgreSQL, and how does a schema grow? |
| `watching/` | What changed, whoever changed it? |
| `processes/` | How is another program run, and how is it held? |
| `network/` | Whom may Holdfast call, and who may call it? |
"""
