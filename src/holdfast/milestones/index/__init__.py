"""The index: a SQLite database derived from the logs, which may be deleted at any time.

`schema` has its tables, `index` opens it up to date, `update` takes new commits in, `bulk_load` fills a new
one, `rows` are entities as rows, `query` asks for pages (keyset paging), `lookup` finds an entity by name.
"""
