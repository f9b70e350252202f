"""The tools of milestones and issues, one module each.

Only `holdfast.toolsets` imports them: all of them for a server, a command its own one.
"""
