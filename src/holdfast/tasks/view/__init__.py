"""Turns rows of the store into results, within a byte budget that suits a model."""
