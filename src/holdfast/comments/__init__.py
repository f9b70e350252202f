"""Comments on code that stay with the code they were written for.

- `tools/`: one module per tool; `resources.py` and `prompts.py` declare the rest of the interface. Shared
  types are in `models.py`, shared output texts in `text.py`, the errors in `errors.py`, and the texts of
  prompts in `prompt_text.py` and `orphan_description.py`.
- `store.py` reads the comments of one work tree, each with its current line; `comment_writer.py` changes
  them; `watched_files.py` declares what subscribers to changes watch.
- `sidecar/`: the `<source>.comments` files, read and written without losing anything.
- `anchors/`: locates comments in the current text, and finds the file that code moved to.
- `tracking/`: matches the lines of two versions. Pure functions.
- `search/`: finds the comments that match a query.
- `export/`: writes all comments in other formats.
- `memory/`: notes about a symbol, a file, a folder or the repository, which say what became of their code.
- `union/`: merges two versions of a sidecar, for git's merge driver and after an unfinished merge.

Importing the package loads none of its modules; importing `tools` registers the operations.
"""
