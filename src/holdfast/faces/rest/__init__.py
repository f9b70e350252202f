"""The registry as plain HTTP: a route for each operation, its description, and a stream of changes."""
