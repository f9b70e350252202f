"""How often files change, how much, and by whom: the history that git has.

- `history.py`: the commits of a period, each read from git once and kept.
- `churn.py`: from commits to the figures of files.
"""
