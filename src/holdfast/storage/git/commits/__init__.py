"""Commits as records of a log: written one by one or in bulk, read as a stream, and which leads to which."""
