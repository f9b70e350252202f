"""Differences between two states of a repository: files, lines, words, moved blocks."""
