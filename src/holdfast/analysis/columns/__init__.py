"""What is computed from the files of a project, and kept while they do not change.

- `file_columns.py`: columns by the content of files, in memory; `kept_results.py`: results by file, on disk.
"""
