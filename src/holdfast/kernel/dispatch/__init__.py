"""From a request to a result, the same way for every face.

`dispatcher` runs operations, resources and prompts; `validation` turns arguments into models; `workers` is
the thread pool that keeps the event loop free; `failures` turns unexpected exceptions into errors for the
caller.
"""
