"""Comments by address."""
