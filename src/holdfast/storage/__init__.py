"""The only code that touches disk, git, a database or the network.

| Folder | Question |
| --- | --- |
| `files/` | How is a file read and written so that it is complete, durable and inside the work tree? |
| `git/` | Where is the repository, what is in its objects and refs, and how do they change? |
| `sql/` | How are rows stored in SQLite or PostgreSQL, and how is a schema upgraded? |
| `watching/` | What changed, whichever process changed it? |
| `processes/` | How are other programs and worker processes run, bounded and ended? |
| `network/` | Which services may Holdfast call, and who may call it? |

`lazy.py` opens a store at its first use; `garbage_collection.py` suspends the collector for large results.
"""
