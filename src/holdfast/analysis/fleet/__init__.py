"""One analysis over many repositories.

- `roster.py`: the list of repositories. `repository_state.py`: whether a repository has changed.
- `fleet.py`: a run with its cached results; `fleet_run.py` executes its tasks.
- `merged_report.py`: the merged results, as JSON, Parquet and HTML.

Contract: a repository that fails, or crashes its process, does not affect the others. The merged reports
depend on the repositories, the analysis and the day, not on the number or location of processes.
"""
