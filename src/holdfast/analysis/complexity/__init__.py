"""The complexity of functions: counting, thresholds, comparison with a base commit, and the report."""
