"""Self-admitted technical debt: comments in which authors say that something is not as it should be.

- `passage.py`: comments as passages of text. `marker.py`: the markers that open one, such as TODO.
- `debt_item.py`: the items of a scan. `model.py`: a linear model for comments without a marker.
- `debt_report.py`: the report.

Items with a marker are certain, items found by the model probable: `docs/accuracy.md` says how often it is
right, and results list the two separately.
"""
