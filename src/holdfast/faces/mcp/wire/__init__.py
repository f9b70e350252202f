"""JSON-RPC over standard input and output: framing, limits, order, and an answer for every request.

- `streams`, `line_reader`: the two byte streams, with back-pressure, and their lines
- `messages`: bytes to JSON-RPC messages and back
- `exchange`, `request_queue`: requests that are not answered yet
- `outstanding_requests`: requests of the server to its client
- `session`, `connection_state`: one connection, from its handshake to its end

This package knows only the lifecycle of the Model Context Protocol, and does not import its SDK.
"""
