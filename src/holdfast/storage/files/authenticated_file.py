"""A file of derived data that is believed only if this user's Holdfast wrote exactly these bytes.

Contract: a file that is missing, damaged or cut off, or that came with the repository, is None, never an
error and never wrong data. Readers see the old content or the new one. Nothing is flushed, so a power failure
may leave a damaged file, which is None as well.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.temporary import temporary_file, temporary_name
from holdfast.storage.files.user_key import authentication_code

_CODE_BYTES = 32


def read_authenticated(path: str, limit: int) -> memoryview | None:
    """Return the content of a file that `write_authenticated` wrote, if it has at most `limit` bytes."""
    content = None
    with suppress(HoldfastError):
        content = memoryview(read_limited(path, limit + _CODE_BYTES))
    if content is None or len(content) < _CODE_BYTES:
        return None
    data, code = content[:-_CODE_BYTES], content[-_CODE_BYTES:]
    return data if bytes(code) == _code(path, data) else None


def write_authenticated(path: str, data: bytes) -> bool:
    """Replace the content of a file, and return whether that succeeded."""
    code = _code(path, memoryview(data))
    if code is None:
        return False
    directory, name = os.path.split(path)
    temporary = os.path.join(directory, temporary_name(name))
    try:
        with translate_disk_errors(name), temporary_file(temporary, data + code, 0o600, durable=False):
            os.replace(temporary, path)
    except HoldfastError:
        return False
    return True


def _code(path: str, data: memoryview) -> bytes | None:
    """Return a code of the data and of the file's name, so that a file is not taken for another one."""
    code = authentication_code(os.fsencode(os.path.basename(path)) + sha256(data).digest())
    return None if code is None else code.encode("ascii")
