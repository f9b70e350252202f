"""Holdfast in other programs' configuration: put in, shown, taken out, and nothing else touched.

A client in `clients.py` says which files it reads and what Holdfast wants in each.
How an entry gets into a file of some format and out of it again is in `formats/`; reading, judging and
writing all files of a client together is in `plan.py`.
"""
