"""Everything in the package that reads what others wrote: how it is called, sound examples, allowed errors.

Only errors that callers turn into an answer are allowed.
"""

from __future__ import annotations

from tests.fuzz import border, documents
from tests.fuzz.table import PARSERS, Parser

__all__ = ["PARSERS", "Parser", "border", "documents"]
