"""The compiled core: whether it is used, and its functions, each of which reads many files.

Contract:
- What they return is equal to what `sections.pack` and `lexer.tokenize` return.
- Whether there is a core is decided without loading it. One that cannot be loaded, or that is older than its
  sources, is not used.
- A file that cannot be read is a failure in the result, whose message does not quote the text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast._core import ReadFailure

    Results = list[list[bytes] | ReadFailure]

Files = Sequence[tuple[str, str, bytes]]
"""Files to read: the path, the name of the language and the text in UTF-8."""

VARIABLE = "HOLDFAST_READER"
"""The environment variable that chooses the reader: `python` for the one that needs no core."""
_PYTHON = "python"


def is_found() -> bool:
    """Return whether there is a core, and the environment does not choose the other reader."""
    return os.environ.get(VARIABLE) != _PYTHON and find_spec("holdfast._core") is not None


def is_used() -> bool:
    """Return whether the core reads files; load it if it was found."""
    return is_found() and reason_not_used() is None


@cache
def reason_not_used() -> str | None:
    """Return why a core that was found is not used; None if it is."""
    module = find_spec("holdfast._core")
    if module is not None and module.origin is not None and is_older_than_sources(Path(module.origin)):
        return "it is older than its sources"
    try:
        import_module("holdfast._core")
    except ImportError as failure:  # it is damaged, or was built for another platform
        return str(failure)
    return None


def is_older_than_sources(module: Path) -> bool:
    """Return whether a checkout has newer sources of the core, which fit the Python modules beside it."""
    built = module.stat().st_mtime
    sources = (module.parents[2] / "core" / "src").glob("*.rs")
    return any(source.stat().st_mtime > built for source in sources)


def read_records(files: Files, threads: int, *, with_names: bool = True) -> Results:
    """Return the packed sections of each file's record: numbers, comments and, if wanted, names."""
    from holdfast import _core
    from holdfast.syntax.core.tables import tables  # loads the Python reader

    return _core.read_records(tables(), files, with_names, threads)


def read_tokens(files: Files, threads: int) -> Results:
    """Return the tokens and line ends of each file."""
    from holdfast import _core
    from holdfast.syntax.core.tables import tables

    return _core.read_tokens(tables(), files, threads)
