"""Commits that are records of a log: reading them as a stream, writing them, and their ancestry."""
