"""The quality gate: it compares analyses of a project with thresholds, and passes or fails.

- `settings.py`: the thresholds and switches, from arguments, a settings file or defaults.
- `checks.py`: the check of each analysis. `check_result.py`: what a check measured, and its result.
"""
