"""The lowest layer: declarations and rules, without disk, network or protocol libraries.

A room is a package that stores or computes one kind of thing, such as comments or tasks. A face is an
interface to the outside: MCP, REST, the command line or the page. The kernel connects the two:

- Declarations of a room: `operation`, `prompt`, `resource`, `route`, collected in a `toolset`; their
  arguments and results: `models`, `content`, `questions`; all toolsets: `registry`
- Running operations: `dispatch/`; a single run: `call`; permissions: `role`; limits: `limits`
- Failures: `errors`, `machine`; their JSON-RPC codes: `codes`
- Statistics and tracing: `telemetry/`
- Shared helpers: `text`, `untrusted`, `paging`, `clock`, `cache`, `schema`
"""
