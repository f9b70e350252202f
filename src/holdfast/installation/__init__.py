"""Adds Holdfast's entries to the configuration of other programs, and removes them, without other changes.

`clients/` declares the files of each client and the entry in each, with the types in `client`. `formats/`
edits one entry in one file; `plan` reads, checks and writes all files of a client at once.
"""
