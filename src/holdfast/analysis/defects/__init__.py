"""Predicts how probable it is that each file needs a fix within a year, and explains why.

- `measures.py`: the measures of each file, and which of the six features each measure belongs to.
- `activity.py`: the commits to a file in the year before a point in time, and whether it was fixed
  afterwards.
- `commit_risk.py`: the risk of each commit, by gradient-boosted trees that ship as data.
- `logistic.py`: the logistic regression, and how it adapts to the repository's own history.
- `prediction.py`: the predictions. `defect_report.py`: their report.

`scripts/train_defects.py` trains the models.
"""
