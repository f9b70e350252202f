"""The Model Context Protocol, on a pipe and over HTTP.

- What a server offers: `profiles`; its lists: `catalogue`, `schemas`, `output_schemas`
- Completion of arguments: `completion`
- Extensions of the protocol, such as apps: `extensions/`
- How a request is answered: `engine` drives the SDK, `server` is the SDK's server over a registry, with
  `handlers` for its methods; `request` and `request_channel` are one request as the handlers and the SDK see
  it, `askers` sends an operation's questions to the client, `results` and `failures` convert outcomes
- How clients are notified of changes: `publisher`, `resource_states`, `announcer`
- How bytes are transported: `wire/` on a pipe, `streamable/` over HTTP; `handshake` answers before the SDK is
  loaded, `stdio` serves a workspace
"""
