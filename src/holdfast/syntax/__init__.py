"""Source text turned into facts.

- Which language is it, and what do its nodes mean? `languages/`, a table for each.
- What does a text declare? `parse` makes the tree; `symbols`, `tokens`, `complexity` read it.
- What does one pass over a file tell? `reader` makes its `record`: `names`, `uses`, `unused`, metrics.
- What is known of a text already, and where do its statements begin? `facts`, cached by content hash.
"""
