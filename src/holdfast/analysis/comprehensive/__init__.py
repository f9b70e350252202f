"""The comprehensive analysis: several analyses over one scan, and the technical debt gradient.

- `components.py`: what it shows of each report.
- `gradient.py`: the technical debt gradient, a documented formula over the measurements.
"""
