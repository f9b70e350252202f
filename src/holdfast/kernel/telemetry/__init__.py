"""Measurements of a server's own requests: `statistics` (counts and durations) and `tracing` (spans)."""
