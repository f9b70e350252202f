"""The registry as plain HTTP: a route for each operation, its description, and a stream of changes.

- `face`: what one role is offered below `/api/`, and the routes that a specification names
- `operations`: routes of operations
- `events`: what changes, as server-sent events
- `openapi`: the description of all routes
"""
