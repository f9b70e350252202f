"""What depends on what."""
