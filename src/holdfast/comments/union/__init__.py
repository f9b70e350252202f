"""Merges two versions of a sidecar, so that the notes of two branches never conflict."""
