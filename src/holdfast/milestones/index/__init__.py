"""The index: a SQLite database derived from the logs, which may be deleted at any time.

`schema` declares its tables, `index` opens it up to date, `update` adds new commits, `bulk_load` fills a new
index, where `creation_commit` parses the most frequent commits, `rows` maps entities to rows, `query` selects
pages (keyset pagination), and `lookup` finds an entity by name.
"""
