"""Access tokens for HTTP: the owner's token, and named tokens with a role, which are stored as hashes.

Contract:
- `add` returns the plain token once; the file contains only its SHA-256. A token has 256 random bits, so a
  slow hash would add no protection.
- Only the owner can read or change the file. A file that others may read or write is refused.
- `find` takes the same time for every token, and notices tokens that other processes added or removed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from holdfast.kernel.clock import rfc3339, utc_now
from holdfast.kernel.errors import Conflict, Corrupted, Denied, Invalid, NotFound, TooLarge, did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.role import OWNER, Role
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.locks import locked
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.upgrade import refuse_newer

TOKEN_NAME = "token"  # noqa: S105 - the name of the file, not its content
TOKENS_NAME = "tokens.json"

_VERSION = 1
_TOKEN_BYTES = 32
"""256 bits, which nobody can guess."""
_MAX_OWNER_TOKEN_BYTES = 256
"""A judgement: four times the length of the tokens that are generated here."""
_MIN_OWNER_TOKEN_CHARACTERS = 32
"""A judgement: an owner may choose a shorter token than ours, but not one with less than 128 bits."""
_MAX_TOKENS_FILE_BYTES = 1024 * 1024
"""A judgement: about 200 bytes for each of at most `LIMITS.tokens` tokens, and a margin."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


@dataclass(frozen=True)
class Grant:
    """A stored token: its name, its role, its hash, and when it was created, as RFC 3339."""

    name: str
    role: Role
    sha256: str
    created: str


class TokenFile:
    """The tokens of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._path = os.path.join(repository.store_directory, TOKENS_NAME)
        self._signature: tuple[int, ...] | None = None
        self._grants: tuple[Grant, ...] = ()

    def add(self, name: str, role: Role) -> str:
        """Create a token and return it; it cannot be retrieved again. The name must be new."""
        _check_name(name)
        self._repository.ensure_store()
        token = os.urandom(_TOKEN_BYTES).hex()
        with locked(self._path):
            grants = self._read()
            if any(grant.name == name for grant in grants):
                raise Conflict(
                    f'There is a token named "{name}" already.',
                    hint="Remove it first, or choose another name.",
                )
            if len(grants) >= LIMITS.tokens:
                raise TooLarge(
                    f"There are {len(grants)} tokens already.", hint="Remove one that is not used."
                )
            self._write([*grants, Grant(name, role, _digest(token), rfc3339(utc_now()))])
        return token

    def remove(self, name: str) -> Grant:
        """Remove a token; running servers refuse it from now on."""
        self._find_by_name(name, self._read())
        with locked(self._path):
            grants = self._read()
            removed = self._find_by_name(name, grants)
            self._write([grant for grant in grants if grant is not removed])
        return removed

    def all(self) -> tuple[Grant, ...]:
        """Return every token, in the order of creation."""
        signature = self._signature_on_disk()
        if signature is None:
            self._grants = ()
        elif signature != self._signature:
            self._grants = tuple(self._read())
        self._signature = signature
        return self._grants

    def named(self, name: str) -> Grant:
        """Return the token with a name."""
        return self._find_by_name(name, list(self.all()))

    def find(self, token: str) -> Grant | None:
        """Return the grant of a token, or None if there is no such token."""
        digest = _digest(token)
        # Not by a search that ends early: its duration would tell where in the file the token is.
        grants = [grant for grant in self.all() if hmac.compare_digest(grant.sha256, digest)]
        return grants[0] if grants else None

    @staticmethod
    def _find_by_name(name: str, grants: list[Grant]) -> Grant:
        for grant in grants:
            if grant.name == name:
                return grant
        hint = did_you_mean(name, [grant.name for grant in grants])
        raise NotFound(f'There is no token named "{name[:80]}".', hint=hint)

    def _signature_on_disk(self) -> tuple[int, ...] | None:
        try:
            status = os.stat(self._path, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise Denied(
                f"Other users may read or write {TOKENS_NAME} in Holdfast's store.",
                hint="Set its mode to 0600 and replace the tokens in it.",
            )
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def _read(self) -> list[Grant]:
        if self._signature_on_disk() is None:
            return []
        try:
            document = json.loads(read_limited(self._path, _MAX_TOKENS_FILE_BYTES))
            version = document["version"]
            refuse_newer(version, _VERSION, TOKENS_NAME)
            if version != _VERSION:
                raise ValueError("another version")
            return [_parse_grant(entry) for entry in document["tokens"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Corrupted(
                f"The file {TOKENS_NAME} in Holdfast's store is damaged.",
                hint="Move it aside and add the tokens again.",
            ) from None

    def _write(self, grants: list[Grant]) -> None:
        entries = [{**asdict(grant), "role": grant.role.value} for grant in grants]
        text = json.dumps({"version": _VERSION, "tokens": entries}, indent=1)
        atomic_write(self._path, f"{text}\n".encode(), mode=0o600)


def _parse_grant(entry: Mapping[str, Any]) -> Grant:
    sha256 = str(entry["sha256"])
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise ValueError("not a hash")
    return Grant(str(entry["name"]), Role(entry["role"]), sha256, str(entry["created"]))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Invalid(
            f"{name[:80]!a} is not a valid name of a token.",
            hint="Use up to 64 letters, digits and . - _ @, beginning with a letter or digit.",
        )
    if name == OWNER:
        raise Invalid(f'"{OWNER}" is the name of the repository\'s own token.', hint="Choose another name.")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def access_token(repository: Repository) -> str:
    """Return the owner's token, created at first use; only the owner can read its file."""
    path = os.path.join(repository.ensure_store(), TOKEN_NAME)
    with locked(path):
        if not os.path.lexists(path):
            atomic_write(path, os.urandom(_TOKEN_BYTES).hex().encode() + b"\n", mode=0o600)
        token = read_limited(path, _MAX_OWNER_TOKEN_BYTES).decode("ascii", "replace").strip()
    if len(token) < _MIN_OWNER_TOKEN_CHARACTERS or not token.isalnum():
        raise Corrupted(
            f"The file {TOKEN_NAME} in Holdfast's store does not contain a token.",
            hint="Move it aside; the next start creates a new one, which clients then need.",
        )
    return token
