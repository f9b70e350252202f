"""How the numbers of a project went: kept for each commit as they are computed, or computed for past commits.

- `headline.py`: which numbers, and those of them that follow from the records alone.
- `point.py`: a point, kept where the project is as its commit has it, and points of past commits.
- `point_store.py`: where they are kept.
"""
