"""Adds Holdfast's entries to the configuration of other programs, removes them, and touches nothing else.

`clients` declares the files of each client and the entry in each. `formats/` edits one entry in one file;
`plan` reads, checks and writes all files of a client together.
"""
