"""Parsing: from source text to symbols, names, metrics and tokens.

- `languages/`: one table per language, which detects it and says what its syntax nodes mean.
- `parse` builds the tree-sitter tree; `symbols` and `complexity` query it.
- `reader` makes the `record` of a file in one pass: comments, metrics, and its names (`names`, `uses`,
  `unused`).
- `facts`: symbols, syntax errors and statements of a text, cached by content hash.
- Without a tree: `lexer` (tokens for clone detection) and `halstead` (operators and operands).
- `highlighting`: the text split into styled pieces for display.
"""
