"""The filter language: compiles text such as `status == open and label in [bug]` to a condition in SQL.

`tokens` is the lexer, `parser` parses the two notations, `fields` declares the fields, their operators and
their values, `expression` is the syntax tree, and `sql` compiles it for the index.
"""
