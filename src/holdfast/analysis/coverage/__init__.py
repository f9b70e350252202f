"""Test coverage, from the reports that earlier test runs have written.

- `coverage_report.py`: finds the reports, and combines them into one.
- `source_finder.py`: finds the source file that a path in a report stands for.
- `report_formats.py`: parses Cobertura, JaCoCo, lcov, Go and coverage.py.
- `python_statements.py`: the statements of a Python file, as coverage.py counts them.
"""
