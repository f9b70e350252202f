"""Tracks lines of code from one version of a file to another: pure functions, no I/O.

- `track`: one step between two versions; `follow`: through the revisions in between; `placement`: input and
  output types; `moved_files`: the other file that code moved to.
- `comparison`: the unchanged lines of two versions (`diff`, `reflow`) and the alignment of the rest
  (`alignment`, `similarity`).
- `finder`: guesses for a line that changed, also from `blocks` and `neighbour_guesses`; `guess`: their
  confidence.
- `lines`, `line_roles`, `outline`, `symbol_map`: what is known about the lines and symbols of the versions.
"""
