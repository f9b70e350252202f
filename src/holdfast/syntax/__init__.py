"""Source text turned into facts.

- Which language is it, and what do its nodes mean? `languages/`, a table for each.
- What does a text declare? `parse` makes the tree; `symbols`, `statements`, `tokens`, `complexity` read it.
- What is known of a text already? `facts`, cached by content hash.
"""
