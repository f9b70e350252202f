"""How much of each file test runs covered, from the reports they left behind.

- `coverage_report.py`: finds the reports, and combines them into one.
- `report_formats.py`: parses Cobertura, JaCoCo, lcov, Go and coverage.py.
- `python_statements.py`: the statements of a Python file, as coverage.py counts them.
"""
