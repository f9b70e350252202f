"""Templates: files of a new project, generated from parameters that are checked first.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
