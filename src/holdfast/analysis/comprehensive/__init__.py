"""The comprehensive analysis: several analyses over one scan, and the technical debt gradient.

- `components.py`: a section for each report.
- `gradient.py`: the technical debt gradient, a documented formula over the measurements.
"""
