"""Duplicates: code that is there more than once.

`clone.py` says what a clone is, `clones.py` finds all kinds. `token_clones.py` has exact and renamed ones:
windows of tokens that are alike (`windows.py`), made as long as they go (`matches.py`), and
whole functions and files (`whole_clones.py`).
`near_clones.py` has gapped and semantic ones: functions and blocks (`code_pieces.py`), their likely pairs
(`sketch.py`, on a processor or a GPU: `array_module.py`), compared (`alignment.py`, `structure.py`) and put
together (`cliques.py`).
"""
