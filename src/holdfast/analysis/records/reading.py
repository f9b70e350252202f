"""One file read: its record in sections, or in few words why there is none.

Contract: one file that cannot be read, decoded or parsed is one outcome with its reason; nothing is raised
for it. A file that is no source after all has neither language nor reason.
"""

from __future__ import annotations

from collections.abc import Container
from hashlib import sha1
from typing import NamedTuple

from holdfast.analysis.records.discovery import TOO_LARGE, may_be_source
from holdfast.analysis.records.source import UNDECODABLE, reason_to_skip, text_of
from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git.repository import Repository
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong
from holdfast.syntax.record import read_record, sections

TOOK_TOO_LONG = "took too long"
FAILED = "could not be analysed"
UNREADABLE = "unreadable"
NOT_REGULAR = "not a regular file"
GONE = "gone"
"""A file that was removed since it was discovered; it is no part of the project any more."""

_FIRST_LINE_BYTES = 256

Sections = tuple[bytes, bytes, bytes]


class Outcome(NamedTuple):
    """What came of one file."""

    path: str
    size: int = 0
    key: str = ""
    """Content and language; equal ones have equal records."""
    language: str = ""
    reason: str = ""
    sections: Sections | None = None
    """Missing where the key was among those already known, and where there is a reason."""


class Reader:
    """Reads the files of one work tree."""

    def __init__(self, root: str, known: Container[str] = ()) -> None:
        self._tree = Tree(Repository(root))
        self._known = known

    def read(self, path: str) -> Outcome:
        """Return what came of a file."""
        try:
            data = self._bytes(path)
            return Outcome(path) if data is None else self._outcome(path, data)
        except HoldfastError as failure:
            return Outcome(path, reason=_reason(failure))
        except Exception:  # whatever a strange file brings about in a parser, the others are read
            return Outcome(path, reason=FAILED)

    def _bytes(self, path: str) -> bytes | None:
        """Return the content of a file, or None where neither name nor first line says it is source."""
        place = RepoPath.parse(path)
        if may_be_source(path) is None:
            with self._tree.open_read(place) as file:
                head = file.read(_FIRST_LINE_BYTES)
            if language_of(path, head.decode("utf-8", "replace")) is None:
                return None
        return self._tree.read_bytes(place, LIMITS.source_file_bytes)

    def _outcome(self, path: str, data: bytes) -> Outcome:
        size = len(data)
        if (reason := reason_to_skip(data)) is not None:
            return Outcome(path, size, reason=reason)
        text = text_of(data)
        if text is None:
            return Outcome(path, size, reason=UNDECODABLE)
        language = language_of(path, text)
        if language is None:
            return Outcome(path)
        key = f"{language.name}:{sha1(data, usedforsecurity=False).hexdigest()}"
        if key in self._known:
            return Outcome(path, size, key, language.name)
        record = read_record(path, text.encode("utf-8", "replace"))
        if record is None:
            return Outcome(path)
        return Outcome(path, size, key, language.name, sections=sections(record))


def _reason(failure: HoldfastError) -> str:
    named = (
        (ParseTooLong, TOOK_TOO_LONG),
        (TooLarge, TOO_LARGE),
        (InvalidPath, NOT_REGULAR),
        (NotFound, GONE),
    )
    return next((reason for kind, reason in named if isinstance(failure, kind)), UNREADABLE)
