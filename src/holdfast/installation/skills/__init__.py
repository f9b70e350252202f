"""Skills: short instructions that tell an agent when to use which tools, one for each room.

Each is a Markdown file in this folder, in the format of Agent Skills (<https://agentskills.io/specification>);
`catalogue` reads them.
"""
