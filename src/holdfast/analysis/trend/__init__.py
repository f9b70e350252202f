"""The headline numbers of a project over its commits: recorded on request, or computed for past commits.

- `headline.py`: which numbers there are, and where each comes from.
- `trend_point.py`: recording the numbers of a commit, and computing those of past commits.
- `point_store.py`: where they are stored.

Contract: only the operation `record_trend` writes. Analyses say whether their numbers are recorded, and never
record.
"""
