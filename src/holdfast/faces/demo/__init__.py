"""A small project on an ordinary afternoon, with something in every room, to try things out on.

`tidepool.yaml` says what is in it, `project.py` makes it.
"""
