"""Milestones and issues, kept as operations in git refs and merged by union.

Importing the package loads nothing; importing its `tools` declares what it offers.
"""
