"""Reads source code: symbols, names, metrics, comments and tokens, for all languages in `languages/`.

- `languages/`: one table per language, with how to detect it and what its syntax nodes mean.
- `parse` builds the tree-sitter tree; `symbols`, `control_flow` and `complexity` query it.
- `recursion` finds recursive functions, which are in the `components` of a file's call graph.
- `reader` reads the `record` of a file in one pass: comments, metrics, and names (`names`, composed from
  `definitions`, `calls`, `uses` and `unused`).
- `facts` has the symbols, syntax errors and statements of a text, cached by content hash.
- `lexer` (tokens for clone detection) and `halstead` (operators and operands) work without a tree;
  both are composed from the patterns in `literals`.
- `highlighting` splits a text into styled pieces for display.
"""
