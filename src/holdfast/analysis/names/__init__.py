"""Names: the words that identifiers are made of, which of them mean alike, and how much they tell."""
