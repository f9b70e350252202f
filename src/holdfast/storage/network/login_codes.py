"""Codes that log a browser in once, as the owner or as the holder of a token.

Contract: a code works once, in whichever process of a server it is used, and only for a day. The file
contains only its SHA-256, and is the owner's alone to read.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable

from holdfast.kernel.errors import NotFound
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.git.repository import Repository

_NAME = "login-codes.json"
_LIFETIME_SECONDS = 24 * 3600
"""A judgement: long enough for a colleague to open the link on the same day."""
_CODE_BYTES = 24
"""192 random bits: more than the 128 that rule out guessing, and a multiple of three needs no padding in
Base64."""
_MAX_CODES = 100
"""A judgement: more unused links than anybody hands out in a day; of more, the oldest ones end."""
_MAX_FILE_BYTES = 100_000
"""A judgement: about 200 bytes for each code, and a margin."""


class LoginCodes:
    """The unused codes of one repository."""

    def __init__(self, repository: Repository, clock: Callable[[], float] = time.time) -> None:
        self._repository = repository
        self._path = os.path.join(repository.store_directory, _NAME)
        self._clock = clock

    def add(self, name: str) -> str:
        """Return a new code for the holder of a token, or with an empty name for the owner."""
        self._repository.ensure_store()
        code = secrets.token_urlsafe(_CODE_BYTES)
        with locked(self._path):
            names = self._read()
            names[_digest(code)] = (name, self._clock() + _LIFETIME_SECONDS)
            self._write(dict(list(names.items())[-_MAX_CODES:]))
        return code

    def use(self, code: str) -> str | None:
        """Return whom a code logs in, and use it up; None if it is not valid."""
        if _digest(code) not in self._read():  # whoever guesses keeps nobody waiting for the lock
            return None
        with locked(self._path):
            names = self._read()
            found = names.pop(_digest(code), None)
            if found is not None:
                self._write(names)
        return None if found is None else found[0]

    def _read(self) -> dict[str, tuple[str, float]]:
        """Return whom each code logs in, and until when; none from a damaged file: its links are refused."""
        try:
            entries = json.loads(read_limited(self._path, _MAX_FILE_BYTES))
            names = {str(digest): (str(name), float(until)) for digest, (name, until) in entries.items()}
        except (NotFound, ValueError, TypeError, AttributeError, RecursionError):
            return {}
        return {digest: found for digest, found in names.items() if found[1] > self._clock()}

    def _write(self, names: dict[str, tuple[str, float]]) -> None:
        atomic_write(self._path, json.dumps(names, indent=1).encode() + b"\n", mode=0o600)


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
