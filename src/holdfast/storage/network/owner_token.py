"""The secret that proves a caller may read this repository's stores."""

from __future__ import annotations

import os

from holdfast.kernel.errors import Corrupted
from holdfast.storage.files.atomic import atomic_write, locked, read_limited
from holdfast.storage.git.repository import Repository

TOKEN_NAME = "token"  # noqa: S105 - the name of the file, not its content

_TOKEN_BYTES = 32
_LONGEST_TOKEN = 256
_SHORTEST_TOKEN = 32


def access_token(repository: Repository) -> str:
    """Return the repository's token, made at first use; only the owner can read its file."""
    path = os.path.join(repository.ensure_store(), TOKEN_NAME)
    with locked(path):
        if not os.path.lexists(path):
            atomic_write(path, os.urandom(_TOKEN_BYTES).hex().encode() + b"\n", mode=0o600)
        token = read_limited(path, _LONGEST_TOKEN).decode("ascii", "replace").strip()
    if len(token) < _SHORTEST_TOKEN or not token.isalnum():
        raise Corrupted(
            f"The file {TOKEN_NAME} in Holdfast's store does not hold a token.",
            hint="Move it aside; the next start makes a new one, and clients need that one then.",
        )
    return token
