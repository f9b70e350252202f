"""Dependency analysis: name resolution, dependency graphs, and references between languages.

- `imports/`: resolves imports to files of the project, one module per scheme.
- `resolution.py`: resolves names, attributes and calls to definitions.
- `dependency_graph.py`: builds the graph. `cycles.py`, `metrics.py`: its import cycles and centrality
  measures.
- `excerpt.py`, `drawing.py`, `layered_picture.py`, `graphml.py`: parts of the graph, and output formats.
- `cross_language.py`: where code in one language uses code in another. `foreign_exports.py`: what it may use.
"""
