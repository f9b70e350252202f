"""From rows of the store to what results show, within the bytes that a model can read."""
