"""Names the actor of an operation: `Name <mail>`, from git's configuration or from an argument."""

from __future__ import annotations

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Identity
from holdfast.storage.git.person import login_name

_MAX_QUOTED_CHARACTERS = 100  # of an invalid name in an error message: any usual name in full


def default_actor(identity: Identity) -> str:
    """Return the user as `Name <mail>`: git's identity, with the login name if git has no name."""
    return f"{identity.name or login_name()} <{identity.email or ''}>"


def validate_actor(actor: str) -> str:
    """Return a valid actor with white space normalised, or raise `InvalidArguments`."""
    text = " ".join(actor.split())
    if not text or len(text) > LIMITS.entity_word_characters or not text.isprintable():
        raise InvalidArguments(
            f"{actor[:_MAX_QUOTED_CHARACTERS]!a} is not a name.", hint="Write it as `Name <mail>`."
        )
    return text
