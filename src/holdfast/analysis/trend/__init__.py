"""The headline numbers of a project over its commits: recorded on request, or computed for past commits.

- `headline.py`: the headline numbers, and where each comes from.
- `trend_point.py`: records the numbers of a commit, and computes those of past commits.
- `point_store.py`: stores them.

Contract: only the operation `record_trend` writes. Analyses say whether their numbers are recorded, and never
record.
"""
