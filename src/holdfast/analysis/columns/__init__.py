"""What is computed from the files of a project, as columns: arrays with one element for each row.

- `snapshot.py`: columns by the content of files, kept on disk; `kept_results.py`: other results.
"""
