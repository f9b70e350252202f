"""Source text turned into facts: languages, trees, symbols, tokens, complexity."""
