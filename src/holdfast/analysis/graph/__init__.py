"""What depends on what: the meaning of imports and names, the graphs of it, references between languages.

- `imports/`: which file of the project an import means, one module for each way of finding out.
- `resolution.py`: which definition a name, an attribute or a call means.
- `dependency_graph.py`, `cycles.py`, `excerpt.py`, `drawing.py`: the graph, its rings, parts of it, pictures.
- `cross_language.py`: where code of one language reaches for code of another.
"""
