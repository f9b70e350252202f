"""Holdfast keeps what people and agents know about a repository attached to it."""

__version__ = "0.1.0"
