"""What a tool answers outside the servers of one specification: two bounded forms that say the same.

Some hosts give a model only the structured content of an answer, others only its text. `budget` shortens the
structured content to a number of bytes, `wording` adds to the text what only the structured content says (as
an `outline`), and `answer` puts both together.
"""
