"""Spellings of a name that languages ask for. Templates use them as filters."""

from __future__ import annotations

import json
import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(text: str) -> list[str]:
    """Return the words of a name, however it is spelled: `XMLHttpRequest` is xml, http, request."""
    return [word.lower() for word in _WORD.findall(text)]


def snake(text: str) -> str:
    """Return `text` with its separators as single underscores, in small letters: `my-App 2` is `my_app_2`."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def kebab(text: str) -> str:
    """Return `text` with its separators as single hyphens, in small letters."""
    return snake(text).replace("_", "-")


def pascal(text: str) -> str:
    """Return the words of `text` joined, each with a capital."""
    return "".join(word.capitalize() for word in words(text))


def quoted(text: str) -> str:
    """Return `text` between double quotes, as JSON, TOML, YAML, Rust, Go, JavaScript and Python read it."""
    return json.dumps(text, ensure_ascii=False)
