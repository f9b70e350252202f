"""Comments in the formats that other programs read, written one file's comments at a time."""
