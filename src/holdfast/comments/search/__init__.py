"""Searching the texts of all comments.

- `query`: what can be asked, and what is answered.
- `pattern`: what the text of a query matches.
- `matches`: how often a pattern matches in each of many texts: RE2 over all of them joined.
- `corpus`: all comments in memory; filters, counts and order.
- `rows`: the tables of the index on disk, and how sidecars get into them.
- `index`: keeps both equal to the sidecars, and answers.
"""
