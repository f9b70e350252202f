"""Faces: the interfaces of Holdfast (MCP, REST, command line, page), generated from the registry.

They contain no business logic.
"""
