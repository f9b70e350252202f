"""All analyses of a project side by side, over one scan.

- `components.py`: what each analysis adds, from the same analysers that its own tool asks.
- `gradient.py`: the technical debt gradient, a published formula over what they measured.
"""
