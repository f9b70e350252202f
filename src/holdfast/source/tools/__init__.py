"""The operations on the source, one module each."""
