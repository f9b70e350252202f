"""The names of a project: finding names similar to a query, and rating how descriptive the names are.

- `subwords.py` splits a name into words. `quality.py` rates names by their words.
- `ranking.py` compares a query with all names of a project, which `catalogue.py` indexes, by spelling,
  meaning and sound. `vectors.py` has the word vectors for the meaning.
"""
