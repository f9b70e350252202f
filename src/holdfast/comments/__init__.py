"""Notes on code that stay with the code they were written for.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
