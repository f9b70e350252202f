"""Duplicates: code that is there more than once.

`clone.py` says what a clone is, `clones.py` finds all kinds. `token_clones.py` has exact and renamed ones:
windows of tokens that are alike (`windows.py`), made as long as they go (`matches.py`).
"""
