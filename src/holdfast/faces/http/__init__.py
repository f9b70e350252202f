"""The doors to the network: who may come in, how much at once, and what happens after the answer left.

- Who may come in? `access`, `oauth`; what a refusal says: `problems`
- What happens to a request? `application`, in the terms of `asgi`
- What is below? `connection`; `handover` between the processes
- How is it set up? `settings`, `serve`
"""
