"""Comments on code that stay with the code they were written for.

- `tools/`: one module per tool; `resources.py` and `prompts.py` declare the rest of the interface. What they
  share is in `models.py` and `text.py`; the texts of prompts are in `prompt_text.py` and
  `orphan_description.py`; `errors.py` has the errors.
- `store.py`: reads the comments of one work tree, each with its current line; `comment_writer.py` changes
  them.
- `sidecar/`: the `<source>.comments` files, read and written without losing anything.
- `anchors/`: where comments are in the current text, and where code moved to.
- `tracking/`: matches the lines of two versions. Pure functions.
- `search/`: finds the comments that match a query.
- `export/`: writes all comments in other formats.
- `union/`: merges two versions of a sidecar, for git's merge driver and after an unfinished merge.

Importing the package loads nothing; importing its `tools` registers the operations.
"""
