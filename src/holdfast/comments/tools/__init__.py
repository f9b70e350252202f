"""The tools for comments, one module each; `arguments` has what several of them take.

Only `holdfast.toolsets` imports them: all of them for a server, a single one for a command.
"""
