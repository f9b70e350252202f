"""Extensions of the protocol: which ones a server declares (`declaration`), and what they need.

- `apps`: the task board inside a conversation (`io.modelcontextprotocol/ui`)
- `skills`: instructions for agents, as resources (`io.modelcontextprotocol/skills`)
- `tasks`: calls whose results clients collect later (`io.modelcontextprotocol/tasks`); `deferral` is one call
"""
