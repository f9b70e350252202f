"""Git's objects: read through one long-lived process, written into small packs."""
