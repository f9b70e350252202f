"""The line protocol on standard input and output: framing, limits, order, and an answer for everything.

- `streams`, `line_reader`: the two byte streams, with back-pressure, and their lines
- `messages`: bytes to JSON-RPC messages and back
- `exchange`, `request_queue`: requests until they are answered
- `open_questions`: requests of the server to its client
- `session`, `connection_state`: one connection, from its handshake to its end

Nothing here knows the Model Context Protocol beyond its lifecycle, or imports its SDK.
"""
