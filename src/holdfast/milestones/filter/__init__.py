"""The filter language: from a text such as `status == open and label in [bug]` to a condition in SQL.

`tokens` cuts the text, `parser` reads its two notations, `fields` says what compares with what,
`expression` is what a filter means, and `sql` compiles that for the index.
"""
