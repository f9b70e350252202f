"""The servers that are compared."""
