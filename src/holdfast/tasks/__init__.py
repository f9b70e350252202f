"""Tasks: a workspace that several agents and people share, in SQLite or in PostgreSQL.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
