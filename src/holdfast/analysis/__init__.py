"""Measured facts about code: its complexity, its changes, its debts, what nobody uses, what depends on what.

- `tools/`: the operations, one module each.
- `records/`: what each file says, read once, cached by content and shared by every analysis.
- One folder for each question: `complexity/`, `churn/`, `debt/`, `dead_code/`, `graph/`, `duplicates/`,
  `names/`, `defects/`, `context/`, `comprehensive/`, `trend/`.
- `fleet/`: one analysis over many repositories.

Contract: every number is measured, or null with the reason. One analyser answers one question, whichever tool
asks it. Every result says how many files were discovered, analysed and skipped, and why.
"""
