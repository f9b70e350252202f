"""The tools of the comments, one module each; `arguments` says what several of them take.

Only `holdfast.toolsets` imports them: all of them for a server, a command its own one.
"""
