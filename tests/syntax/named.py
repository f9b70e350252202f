"""The languages by their names."""

from __future__ import annotations

from holdfast.syntax.languages import LANGUAGES, Language


def language_named(name: str) -> Language | None:
    """Return the language of that name."""
    return next((language for language in LANGUAGES if language.name == name), None)
