"""Notes on code that stay with the code they were written for.

- `tools/`: a module for each tool; `resources.py` and `prompts.py` declare the rest that clients see. What
  several of them share is in `models.py` and `text.py`, their failures are in `errors.py`.
- `store.py`: the comments of one work tree, read with each where its code is now, and changed.
- `sidecar/`: what is in a file `<source>.comments`, and how is it changed without losing anything?
- `anchors/`: where are comments in the present text, and where did code go that is no longer there?
- `tracking/`: which line of one version is which line of another? Pure functions.
- `search/`: which comments match a query?
- `export/`: all comments in other formats.
- `union/`: two versions of a sidecar made one, for git's merge driver and after an unfinished merge.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
