"""Measurements beside the peers that do the same."""
