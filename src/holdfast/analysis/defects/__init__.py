"""How probable it is that a file holds a defect that will be mended within a year, and why.

- `measures.py`: what is measured of each file, and of which of the six features it is.
- `activity.py`: what commits did to files up to some moment.
- `commit_risk.py`: how risky each commit is, by trees that ship as data.
- `logistic.py`: the logistic model, and how it learns from the repository's own history.
- `prediction.py`: all of it together.

`scripts/train_defects.py` makes the data.
"""
