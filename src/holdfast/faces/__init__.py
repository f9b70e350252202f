"""Faces generated from the registry. They hold no business logic."""
