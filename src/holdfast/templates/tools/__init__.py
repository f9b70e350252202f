"""The tools of the templates, one module each.

Only `holdfast.toolsets` imports them: all for a server, one for a command.
"""
