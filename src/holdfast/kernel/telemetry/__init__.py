"""What a server records about its own requests: `statistics` (counts and durations) and `tracing` (spans)."""
