"""The deep context: all analyses of a project in one document.

- `sections.py`: a section for each report.
- `scorecard.py` with `modularity.py`, `hotspots.py`, `correlation.py`, `recommendations.py`,
  `annotated_tree.py`, `provenance.py`: its other parts.
- `context_document.py`: its schema; `context_text.py`: the document in Markdown.
- `file_findings.py`: the findings in one file, for a task's focus.
"""
