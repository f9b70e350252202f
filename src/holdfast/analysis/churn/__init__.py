"""How often files change, how much, and by whom, from git's history.

- `history.py`: the commits of a period, each read from git once and cached.
- `churn_report.py`: the churn of files, computed from commits; `recent_churn.py`: the churn of the last
  quarter.
- `function_changes.py`: how many commits changed each function.
"""
