"""The registry as plain HTTP: a route for each operation, their description, and a stream of changes.

- `face`: the router for one role
- `operations`: the routes of operations, with `query`, `json_body` and `entity_tags`
- `addresses`: further routes that a specification names
- `events`: changes, as server-sent events
- `openapi`: the description of all routes
"""
