"""Exports comments in formats that other programs read, one file's comments at a time."""
