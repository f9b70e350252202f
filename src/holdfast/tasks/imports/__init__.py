"""Readers of other programs' task files. Each takes texts and returns tasks and problems; none opens a
file."""
