"""HTTP: authentication, limits, connections and worker processes, in front of MCP, REST and the page.

- Which requests are accepted: `boundary` (host and origin), `access` (tokens), `oauth`, `login`; refusals are
  in `problems`
- How a request is processed: `application`, with `asgi`, `exchange` and `response_sender`
- Connections: `listener`, `connection`, `buffered_transport`; between worker processes: `handover`
- How a server is set up and run: `settings`, `serve`, `server`, `worker_processes`
"""
