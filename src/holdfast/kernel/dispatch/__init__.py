"""Runs requests from all faces (MCP, REST, the command line and the page) in the same way.

`dispatcher` runs operations, resources and prompts; `validation` turns arguments into models; `workers` is
the thread pool that keeps the event loop free; `failures` turns unexpected exceptions into errors for the
caller.
"""
