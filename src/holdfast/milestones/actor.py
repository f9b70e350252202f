"""Who does something: as git's configuration says, or the user of this machine."""

from __future__ import annotations

import getpass

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Identity


def actor_of(given: str | None, identity: Identity | None = None) -> str:
    """Return a person as `Name <mail>`: the one given, the one git knows, or who is logged in."""
    if given is None:
        return _written(identity)
    text = " ".join(given.split())
    if not text or len(text) > LIMITS.entity_word_characters or not text.isprintable():
        raise InvalidArguments(f"{given[:100]!a} is not a name.", hint="Write it as `Name <mail>`.")
    return text


def _written(identity: Identity | None) -> str:
    name = identity.name if identity is not None and identity.name else _login_name()
    email = identity.email if identity is not None and identity.email else ""
    return f"{name} <{email}>"


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"
