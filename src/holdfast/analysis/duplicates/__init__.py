"""Duplicates: code that is there more than once.

`clone.py` says what a clone is and `clones.py` finds all kinds; `windows.py` and `matches.py` find equal and
renamed stretches of tokens. `near_clones.py` finds gapped and semantic clones: `code_pieces.py` are the functions
and blocks, `sketch.py` their likely pairs, on a processor or a GPU; `alignment.py` and `structure.py` compare
them, and `cliques.py` makes classes of pairs.
"""
