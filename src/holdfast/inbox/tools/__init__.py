"""The tools of the inbox, one module each.

Only `holdfast.toolsets` imports them: a server imports all, a command only its own.
"""
