"""Self-admitted technical debt (SATD): comments in which authors say that code is not as it should be.

- `passage.py`: comments as passages of text. `marker.py`: the markers that open a passage, such as TODO.
- `debt_item.py`: the debt items of a scan. `model.py`: a linear model for passages of prose (`prose.py`)
  without a marker.
- `debt_report.py`: the report.

Items with a marker are certain, items found by the model are probable; results list the two separately.
`docs/accuracy.md` says how often the model is right.
"""
