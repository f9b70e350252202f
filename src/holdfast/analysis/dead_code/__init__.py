"""Code that nothing uses: what it is, how sure that is, and what was looked for.

- `finding.py`: one finding, and what the levels of confidence mean.
- `convention.py`, `conventions.toml`: what frameworks and languages call by convention.
- `namespace.py`: which definition a name means, within a file and across imports.
- `liveness.py`: what is reached from where execution begins, in rounds of weaker and weaker evidence.
- `evidence.py`: what speaks for the life of a definition that nothing reaches.
- `entry_points.py`, `mentions.py`: what settings, templates and documents of the project name.
- `analyser.py`: the findings of a scan.

Contract: a definition is alive if something alive refers to it. Recursion keeps nothing alive. What only may
refer to it (a name in a string, an interface for others) lowers the confidence and that of all it leads to.
"""
