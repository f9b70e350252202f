"""Duplicates: code that occurs more than once.

- `clones.py` finds clones of every kind. `clone.py`, `clone_report.py`, `gpu_use.py`: clone groups and the
  report.
- `token_columns.py` computes arrays of tokens and rows from files; `clone_corpus.py` has those of a project.
- Exact and renamed clones: `token_clones.py` selects them among the maximal matches (`matches.py`) that grow
  from repeated windows of tokens (`windows.py`); `whole_clones.py` adds whole functions and files.
- Gapped and semantic clones: `near_clones.py` compares functions and blocks (`code_pieces.py`). `sketch.py`
  finds the likely pairs, with NumPy or on a GPU (`array_module.py`); `alignment.py` and `structure.py`
  measure their similarity; `cliques.py` groups them.
"""
