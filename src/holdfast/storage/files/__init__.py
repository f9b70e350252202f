"""Files: written whole and durably, locked, and never outside the work tree."""
