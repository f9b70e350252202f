"""The inbox: review remarks on their way from a person to an agent, and the agent's answers.

- `tools/`: what can be done, one module per tool; `resources.py`: what can be read by address, and the prompt
- `store.py`: the messages of a repository in SQLite, handed out under leases; `schema.py`: its statements
- `delivery.py`: messages on their way to a reader, with the lines that changed in their files
- `message.py`: a message as stored and as shown, and what it may hold; `envelope.py`: its digest and file
- `legacy.py`: the message file of earlier lazygit configurations; `lazygit.yml`: the configuration of today
- `quick.py`: sending, and finding that nothing waits, in about the time Python takes to start
- `text.py`: messages in words
"""
