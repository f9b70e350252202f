"""Import resolution: which files of the project an import refers to, by language rules and project settings.

Each module has the resolver of one family of languages. All of them derive from `ImportResolver` in
`target.py` and use `layout.py` to look up files and settings; `resolvers.py` selects the resolver of a
language.
"""
