"""The protocol over HTTP: sessions of the handshake era, single requests of the stateless one.

- `endpoint`: which era, which kind of message
- `sessions`, `stateless`: what a request belongs to
- `post_request`: one request in an HTTP POST, and its response
- `event_stream`: messages that a client can come back for
"""
