"""Git's objects: read through one process, written into small packs, named by their hash."""
