"""The inbox: review remarks from a person to an agent, and the agent's replies.

- `tools/` has the operations, one module per tool; `resources.py` has the resources and the prompt.
- `store.py` stores the messages of a repository in SQLite, and delivers them under leases; `schema.py` is its
  SQL.
- `delivery.py` passes messages to a reader; `changed_lines.py` finds the lines that changed in their files.
- `target.py` finds out whether the file and lines of a message exist.
- `place.py` reads what a remark from the page is about; `suggestion.py`, the lines it suggests instead.
- `message.py` is a message and the rules for it; `envelope.py` computes its digest and path for quick
  commands.
- `legacy.py` reads the message file of earlier lazygit configurations; `lazygit.yml` is the current one.
- `quick.py` sends a message, or finds that none is waiting, in about the time that Python takes to start.
- `text.py` formats messages as text.
"""
