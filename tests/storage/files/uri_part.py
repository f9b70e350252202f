"""A path from the part of a URI, decoded exactly once before it is judged."""

from __future__ import annotations

from holdfast.kernel.errors import InvalidPath
from holdfast.storage.files.repo_path import RepoPath


class UriPath(RepoPath):
    """A path inside the work tree that was part of a URI."""

    __slots__ = ()

    @classmethod
    def from_uri_part(cls, text: str) -> RepoPath:
        """Decode the percent escapes of a URI once, then parse the result."""
        return cls.parse(_decoded_once(text))


def _decoded_once(text: str) -> str:
    """Undo percent-encoding; an escape that is not two hexadecimal digits, or not UTF-8, is refused."""
    first, *rest = text.split("%")
    try:
        decoded = bytearray(first.encode())
        for part in rest:
            decoded += _escaped_byte(part[:2]) + part[2:].encode()
        return decoded.decode()
    except ValueError:
        raise InvalidPath(
            f"{text!a} is not percent-encoded.", hint="Encode each byte as %XX, once."
        ) from None


def _escaped_byte(digits: str) -> bytes:
    # `bytes.fromhex` skips spaces, so the length of its answer is checked as well.
    value = bytes.fromhex(digits) if digits.isascii() else b""
    if len(value) != 1 or len(digits.strip()) != 2:
        raise ValueError(digits)
    return value
