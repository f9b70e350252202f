"""Searches the texts of all comments.

- `query`: a query and its result.
- `pattern`: the compiled text of a query.
- `matches`: counts matches in many texts, by running RE2 over all of them joined.
- `corpus`: all comments in memory; filters, counts and order.
- `rows`: the tables of the index on disk, and how sidecars are converted to rows.
- `index`: updates the tables and the corpus from the sidecars, and answers queries.
"""
