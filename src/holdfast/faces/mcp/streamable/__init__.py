"""The protocol over HTTP: sessions of the handshake era, single requests of the stateless one.

- `endpoint`: dispatches by era and by kind of message
- `sessions`, `handshake_session`, `stateless`: the state behind a request
- `post_request`: one request in an HTTP POST, and its response
- `event_stream`: messages that a reconnecting client can get again
"""
