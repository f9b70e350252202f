"""The Model Context Protocol, on a pipe and over HTTP.

- What does a server offer? `profiles`; its lists: `catalogue`, `schemas`
- What answers a request? `engine` drives the SDK, `server` is the SDK's server over a registry, with
  `handlers` for its methods; `request` is one request as they see it, `failures` what they say when it fails
- Who hears of changes? `publisher`
- How do bytes travel? `wire/` on a pipe, `streamable/` over HTTP; `handshake` comes before the SDK,
  `stdio` serves a workspace
"""
