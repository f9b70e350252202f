"""The cyclomatic and cognitive complexity of functions.

- `function_complexity.py`: the complexity of functions and files, and the comparison with a base commit.
- `thresholds.py`: the thresholds, and the functions above them. `complexity_report.py`: the report.
- `toolchain.py`: names for groups of languages, by which the tools select files.
"""
