"""The lowest layer: declarations and rules without disk, network or protocol libraries.

- What a room declares: `operation`, `prompt`, `resource`, `route`, collected in a `toolset`; their arguments
  and results: `models`, `content`, `questions`; all toolsets together: `registry`
- How it runs: `dispatch/`; one run: `call`; who may do what: `role`; within which bounds: `limits`
- How it fails: `errors`, `machine`; with which JSON-RPC codes: `codes`
- What it records about itself: `telemetry/`
- What everything shares: `text`, `untrusted`, `paging`, `clock`, `cache`, `schema`
"""
