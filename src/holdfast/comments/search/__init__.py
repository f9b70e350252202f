"""Finding comments across the workspace, over an index that is derived from the sidecars."""
