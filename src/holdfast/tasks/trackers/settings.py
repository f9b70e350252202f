"""The settings of a tracker: JSON from a person, checked once, and stored without secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json

_CONFIG_EXAMPLE = 'Give an object such as {"project": "KEY"}.'
_SECRET_NAME = re.compile(r"token|secret|password|api_?key|authorization|credential", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"(?:gh[pousr]_|github_pat_|lin_api_|xox[abp]-|ATATT|sk-)[\w-]{10,}")
"""The prefixes of tokens of GitHub, Linear, Slack, Atlassian and OpenAI."""
_MAX_SETTING_CHARACTERS = 500
"""The longest text in the settings. A judgement: addresses and names are far shorter."""


def parse_settings(
    text: str | None, *, required: tuple[str, ...], optional: tuple[str, ...]
) -> dict[str, Any]:
    """Return the settings in a JSON text; raise naming what is missing, unknown or secret."""
    try:
        settings = parse_json(text) if text else {}
    except UnreadableDocument as error:
        raise InvalidArguments(f"`config` is not valid JSON: {error}.", hint=_CONFIG_EXAMPLE) from None
    if not isinstance(settings, dict):
        raise InvalidArguments("`config` is not a JSON object.", hint=_CONFIG_EXAMPLE)
    _refuse_secrets(settings)
    if unknown := sorted(set(settings) - {*required, *optional}):
        raise InvalidArguments(
            f"`config` names {', '.join(unknown)}, which this tracker does not know.",
            hint=f"It knows {', '.join((*required, *optional))}.",
        )
    if missing := [name for name in required if not settings.get(name)]:
        example = f'Give an object such as {{"{missing[0]}": "…"}}.'
        raise InvalidArguments(f"`config` does not name {', '.join(missing)}.", hint=example)
    _check_texts(settings)
    return settings


def text_table(settings: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return a setting that maps texts to texts, such as `lists`; empty if it is not set."""
    table = settings.get(name)
    return {str(key): str(value) for key, value in table.items()} if isinstance(table, dict) else {}


def _refuse_secrets(settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if _SECRET_NAME.search(name) or (isinstance(value, str) and _SECRET_VALUE.search(value)):
            raise InvalidArguments(
                f"`config` has what looks like a secret under {name!a}; it was not stored.",
                hint="Put tokens into the environment; the documentation names the variables.",
            )
        if isinstance(value, dict):
            _refuse_secrets(value)


def _check_texts(settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if isinstance(value, dict):
            _check_texts(value)
        elif (
            not isinstance(value, str)
            or not 0 < len(value) <= _MAX_SETTING_CHARACTERS
            or not value.isprintable()
        ):
            raise InvalidArguments(
                f"{name!a} in the config is not a text of 1 to {_MAX_SETTING_CHARACTERS} characters.",
                hint="Give it as a text.",
            )
