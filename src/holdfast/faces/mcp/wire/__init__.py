"""The line protocol on standard input and output: framing, limits, order, and an answer for everything.

- `streams`: the two byte streams, with back-pressure
- `messages`: bytes to JSON-RPC messages and back
- `exchange`: requests in flight, on their way to their answers
- `session`: one connection, from its handshake to its end

Nothing here knows the Model Context Protocol beyond its lifecycle; nothing here imports its SDK.
"""
