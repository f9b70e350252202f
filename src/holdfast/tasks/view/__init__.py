"""Converts rows of the store to results and texts, within a byte budget that suits a model."""
