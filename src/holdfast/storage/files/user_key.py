"""A secret key of the user, which proves that Holdfast wrote something on this machine.

Whatever is inside a repository may have been written by somebody else: an unpacked archive can contain a
`.git` folder with prepared caches. The key is in the user's state, which no repository can read or write.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.temporary import temporary_file, temporary_name

_NAME = "key"
_KEY_BYTES = 32
_CODE_BYTES = 16
"""128 bits, which nobody finds by trying."""

_keys: dict[str, bytes] = {}
"""The keys that this process has read, by path."""


def state_directory() -> str:
    """Return the directory for Holdfast's state of the user (XDG Base Directory Specification)."""
    configured = os.environ.get("XDG_STATE_HOME", "")
    base = configured if os.path.isabs(configured) else os.path.expanduser("~/.local/state")
    return os.path.join(base, "holdfast")


def authentication_code(data: bytes) -> str | None:
    """Return a code that only this user's programs can compute for the data; None if there is no key.

    There is none where the user's state can neither be read nor written.
    """
    path = os.path.join(state_directory(), _NAME)
    if path not in _keys:
        with suppress(HoldfastError):
            _keys[path] = _read_or_create(path)
    key = _keys.get(path)
    return None if key is None else blake2b(data, key=key, digest_size=_CODE_BYTES).hexdigest()


def _read_or_create(path: str) -> bytes:
    label = "the key of this user"
    with translate_disk_errors(label):
        if not os.path.lexists(path):
            folder = os.path.dirname(path)
            os.makedirs(folder, mode=0o700, exist_ok=True)
            unused_name = os.path.join(folder, temporary_name(_NAME))
            # A link never replaces the key that another process has just created.
            with temporary_file(unused_name, os.urandom(_KEY_BYTES), 0o600), suppress(FileExistsError):
                os.link(unused_name, path)
    key = read_limited(path, _KEY_BYTES)
    if len(key) != _KEY_BYTES:  # damaged: with another key, everything proved by it is computed again
        key = os.urandom(_KEY_BYTES)
        atomic_write(path, key, mode=0o600)
    return key
