"""Measured facts about code: complexity, churn, admitted debt, dead code, dependencies, duplicates, defects.

- `tools/`: the operations, one module each.
- `engine/`: the scan of a project, its cache, and running several analyses over one scan.
- One folder for each analysis, with its report: `complexity/`, `churn/`, `debt/`, `dead_code/`, `graph/`,
  `duplicates/`, `names/`, `defects/`, `coverage/`.
- Views of these reports: `context/`, `comprehensive/`, `gate/`, `trend/`; `render/` has the formats.
- `analysis_process.py`: the processes in which a server runs operations, within bounds.
- `reports.py`: the report of each analysis for a scope; `rules.py`: the rules that findings break.
- `fleet/`: one analysis over many repositories.

Contract: every number is measured, or null with the reason. Each analysis returns one report, which every
tool uses. Every result says how many files were discovered, analysed and skipped, and why.
"""
