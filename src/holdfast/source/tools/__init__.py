"""The operations of the room of sources, one module each."""
