"""The inbox: review remarks from a person to an agent, and the agent's replies.

- `tools/`: the operations, one module per tool; `resources.py`: the resources and the prompt
- `store.py`: the messages of a repository in SQLite, delivered under leases; `schema.py`: its SQL
- `delivery.py`: hands messages to a reader; `changed_lines.py`: the lines that changed in their files
- `message.py`: a message, and what it may contain; `envelope.py`: its digest and file, for quick commands
- `legacy.py`: the message file of earlier lazygit configurations; `lazygit.yml`: the current configuration
- `quick.py`: sends a message, or finds that none is waiting, in about the time Python takes to start
- `text.py`: formats messages as text
"""
