"""The operations on tasks.

Only `holdfast.toolsets` imports these modules: all of them for a server, a single one for a command.
"""
