"""HTTP: authentication, limits, connections and worker processes, in front of the faces that answer requests.

- Who may come in? `boundary` (host and origin), `access` (tokens), `oauth`, `login`; refusals: `problems`
- What happens to a request? `application`, on top of `asgi`
- Below it: `listener`, `connection`, `buffered_transport`; between worker processes: `handover`
- How it is set up and run: `settings`, `serve`, `server`, `worker_processes`, `connection_instructions`
"""
