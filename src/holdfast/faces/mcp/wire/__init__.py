"""The line protocol on standard input and output: framing, limits, order, and an answer for everything.

Nothing here knows the Model Context Protocol beyond its lifecycle; nothing here imports its SDK.
"""
