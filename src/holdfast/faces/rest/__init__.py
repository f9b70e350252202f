"""The registry as plain HTTP: a route for each operation, its description, and a stream of changes.

- `face`: what one role is offered below `/api/`
- `operations`, `addresses`: routes of operations, and those that a specification names
- `events`: what changes, as server-sent events
- `openapi`: the description of all routes
"""
