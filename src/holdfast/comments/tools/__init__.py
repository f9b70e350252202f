"""The tools for comments, one module each; `arguments` processes arguments that several of them take.

Only `holdfast.toolsets` imports these modules: all of them for a server, a single one for a command.
"""
