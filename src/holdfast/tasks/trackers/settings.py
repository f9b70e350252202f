"""What a person says about a tracker: checked once, kept without any secret."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from holdfast.kernel.errors import InvalidArguments

_SECRET = re.compile(r"token|secret|password|api_?key|authorization|credential", re.IGNORECASE)
_LOOKS_SECRET = re.compile(r"(?:gh[pousr]_|github_pat_|lin_api_|xox[abp]-|ATATT|sk-)[\w-]{10,}")
_CHARACTERS = 500


def parse_settings(text: str | None, *, needed: tuple[str, ...], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings in a JSON text; what is missing, unknown or secret is named."""
    try:
        found = json.loads(text) if text else {}
    except json.JSONDecodeError as error:
        raise InvalidArguments(
            f"The config is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.",
            hint='Give an object such as {"project": "KEY"}.',
        ) from None
    if not isinstance(found, dict):
        raise InvalidArguments("The config is no JSON object.", hint='Give one such as {"project": "KEY"}.')
    _refuse_secrets(found)
    if unknown := sorted(set(found) - {*needed, *known}):
        raise InvalidArguments(
            f"The config names {', '.join(unknown)}, which this tracker does not know.",
            hint=f"It knows {', '.join((*needed, *known))}.",
        )
    if missing := [name for name in needed if not found.get(name)]:
        raise InvalidArguments(
            f"The config does not name {', '.join(missing)}.", hint=f"It needs {', '.join(needed)}."
        )
    _check_texts(found)
    return found


def mapped(settings: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return a table of words in the settings."""
    found = settings.get(name)
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _refuse_secrets(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if _SECRET.search(name) or (isinstance(value, str) and _LOOKS_SECRET.search(value)):
            raise InvalidArguments(
                f"The config holds what looks like a secret under {name!a}; it was not kept.",
                hint="Put tokens into the environment; the documentation names the variables.",
            )
        if isinstance(value, dict):
            _refuse_secrets(value)


def _check_texts(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if isinstance(value, dict):
            _check_texts(value)
        elif not isinstance(value, str) or not 0 < len(value) <= _CHARACTERS or not value.isprintable():
            raise InvalidArguments(
                f"{name!a} in the config is no text of 1 to {_CHARACTERS} characters.",
                hint="Give it as a text.",
            )
