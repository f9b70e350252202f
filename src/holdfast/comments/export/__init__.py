"""Exports comments in formats that other programs read, one file's comments at a time.

`writer` runs an export, `records` reads what is exported of each comment, and `formats` writes the formats.
"""
