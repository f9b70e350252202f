"""The index: a SQLite database derived from the logs, which may be deleted at any time.

`schema` has its tables, `index` opens it up to date, `update` adds new commits, `bulk_load` fills a new one,
`rows` maps entities to rows, `query` selects pages (keyset pagination), `lookup` finds an entity by name.
"""
