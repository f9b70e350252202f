"""The quality gate: thresholds and settings, one judge for each check, and the verdict as JUnit."""
