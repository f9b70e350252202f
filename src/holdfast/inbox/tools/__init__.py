"""The tools of the inbox, one module each.

Only `holdfast.toolsets` imports them: all of them for a server, a single one for a command.
"""
