"""The quality gate: its settings, its checks, and their results."""
