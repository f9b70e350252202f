"""Child processes: waited for, confined, pooled, or a person's editor."""
