"""REST: a route for each operation, an OpenAPI description, and streams of changes.

- `face`: the router for one role
- `operations`: the routes of operations, with `query`, `json_body` and `entity_tags`
- `addresses`: further routes that a specification names
- `changes`, `feeds`: changes of topics, and numbered events of rooms; `events` sends both to a client
- `openapi`: the description of all routes
"""
