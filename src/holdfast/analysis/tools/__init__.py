"""The operations of the analysis room, one module each."""
