"""The versions of the code that makes cached results: a cache of another version is not used.

A version is a hash of the source of that code and of the installed grammars, so it never has to be raised by
hand.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable

_RECORD_CODE = (
    ("holdfast.syntax", ""),
    *(
        ("holdfast.analysis.engine", name)
        for name in ("product.py", "file_reader.py", "source_text.py", "stored_record.py", "token_stream.py")
    ),
)
_ANALYSIS_CODE = (("holdfast.syntax", ""), ("holdfast.analysis", ""))
_PARSER = "tree_sitter"


@cache
def record_version() -> int:
    """Return the version of the code that makes records, as SQLite's `user_version`."""
    return _version_of_code(_RECORD_CODE)


@cache
def analysis_version() -> int:
    """Return the version of all code that affects the numbers of analyses."""
    return _version_of_code(_ANALYSIS_CODE)


def _version_of_code(places: Iterable[tuple[str, str]]) -> int:
    texts = [text for package, name in places for text in _texts(resources.files(package).joinpath(name))]
    return version_of(texts, _grammars())


def version_of(texts: list[bytes], grammars: list[str]) -> int:
    """Return the hash of source texts and the names of installed grammars."""
    whole = b"\0".join((*texts, *map(os.fsencode, grammars)))
    return int.from_bytes(blake2b(whole, digest_size=4).digest()) >> 1


def _texts(place: Traversable) -> list[bytes]:
    if place.is_file():
        return [place.read_bytes()] if place.name.endswith((".py", ".toml")) else []
    entries = sorted(place.iterdir(), key=lambda entry: entry.name)
    return [text for entry in entries if entry.name != "__pycache__" for text in _texts(entry)]


def _grammars() -> list[str]:
    """Return the names of the metadata folders of the installed grammars, which contain their versions."""
    found = importlib.util.find_spec(_PARSER)
    if found is None or found.origin is None:
        return []
    beside = os.path.dirname(os.path.dirname(found.origin))
    return sorted(name for name in os.listdir(beside) if name.startswith(_PARSER) and name.endswith("-info"))
