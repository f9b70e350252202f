"""The versions of the code that computes cached results; a cache written by another version is not used.

A version is a hash of that code and of the names of the installed grammars, so no one has to raise it by
hand.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable

_Sources = tuple[tuple[str, str], ...]
"""Packages, each with the file name of a module; an empty name stands for the whole package."""

_RECORD_CODE: _Sources = (
    ("holdfast.syntax", ""),
    *(
        ("holdfast.analysis.engine", name)
        for name in ("product.py", "file_reader.py", "source_text.py", "token_stream.py")
    ),
)
_ANALYSIS_CODE: _Sources = (("holdfast.syntax", ""), ("holdfast.analysis", ""))
_PARSER = "tree_sitter"


@cache
def record_version() -> int:
    """Return the version of the code that computes records; it fits SQLite's `user_version`."""
    return _version_of_packages(_RECORD_CODE)


@cache
def analysis_version() -> int:
    """Return the version of all code that affects the numbers of analyses."""
    return _version_of_packages(_ANALYSIS_CODE)


def _version_of_packages(sources: _Sources) -> int:
    texts: list[bytes] = []
    for package, module in sources:
        texts += _source_texts(resources.files(package).joinpath(module))
    return hash_version(texts, installed_grammars())


def hash_version(texts: list[bytes], grammars: list[str]) -> int:
    """Return a hash of source texts and of the names of grammars, as a positive 32-bit integer."""
    hashed = b"\0".join((*texts, *map(os.fsencode, grammars)))
    return int.from_bytes(blake2b(hashed, digest_size=4).digest()) >> 1  # SQLite's `user_version` is signed


def _source_texts(file_or_folder: Traversable) -> list[bytes]:
    if file_or_folder.is_file():
        is_source = file_or_folder.name.endswith((".py", ".toml"))
        return [file_or_folder.read_bytes()] if is_source else []
    entries = sorted(file_or_folder.iterdir(), key=lambda entry: entry.name)
    return [text for entry in entries if entry.name != "__pycache__" for text in _source_texts(entry)]


def installed_grammars() -> list[str]:
    """Return the names of the metadata folders of the installed grammars, which contain their versions."""
    parser = importlib.util.find_spec(_PARSER)
    if parser is None or parser.origin is None:
        return []
    site_packages = os.path.dirname(os.path.dirname(parser.origin))
    return sorted(
        name for name in os.listdir(site_packages) if name.startswith(_PARSER) and name.endswith("-info")
    )
