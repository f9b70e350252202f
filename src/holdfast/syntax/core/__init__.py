"""The compiled core, `holdfast._core`, which reads files like `reader` and `lexer` do, but faster.

It is built from `core/` by `scripts/core`, and is never required. `library.py` calls it, and says whether it
is used; `tables.py` hands it the tables and regular expressions of this package. `sections.py` is the form in
which it returns records, as does the Python reader.
"""
