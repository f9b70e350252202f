"""One file read: its product in parts, or in few words why there is none.

Contract: one file that cannot be read, decoded or parsed is one outcome with its reason; nothing is raised
for it. A file that is no source after all has neither key nor reason. Worker processes import this module,
so it needs little besides the parser.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha1
from posixpath import splitext
from typing import NamedTuple

from holdfast.analysis.records.product import PRODUCTS, RECORDS, Kept, Product, Source
from holdfast.analysis.records.source import (
    MINIFIED,
    UNDECODABLE,
    is_minified,
    may_be_source,
    reason_to_skip,
    text_of,
)
from holdfast.analysis.records.stored import Parts
from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.pool import ProcessPool, WorkerLost, completed
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong

TOO_LARGE = "too large"
TOOK_TOO_LONG = "took too long"
FAILED = "could not be analysed"
UNREADABLE = "unreadable"
NOT_REGULAR = "not a regular file"
GONE = "gone"
"""A file that was removed since it was discovered; it is no part of the project any more."""

_FIRST_LINE_BYTES = 256

_BATCH_FILES = 64
_BATCH_BYTES = 64 * 1024


class Outcome(NamedTuple):
    """What came of one file."""

    path: str
    size: int = 0
    key: str = ""
    """Language, ending and content; equal ones have equal products."""
    reason: str = ""
    parts: Parts | None = None
    """The product; missing where the key was among those already known, and where there is none."""


class Reader:
    """Reads the files of one work tree; each content once, and those whose key is known not at all."""

    def __init__(self, root: str, known: Iterable[str] = (), product: Product[Kept] = RECORDS) -> None:
        self._make = product.make
        self._tree = Tree(Repository(root))
        self._known = set(known)

    def read(self, path: str, content: bytes | None = None) -> Outcome:
        """Return what came of a file, or of a content that it has had."""
        try:
            data = self._bytes(path) if content is None else content
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
        if is_minified(data, language.name):
            return Outcome(path, size, reason=MINIFIED)
        digest = sha1(data, usedforsecurity=False).hexdigest()
        key = f"{language.name}:{splitext(path)[1]}:{digest}"
        if key in self._known:
            return Outcome(path, size, key)
        parts = self._make(Source(path, language.name, text.encode("utf-8", "replace")))
        if parts is None:
            return Outcome(path)
        self._known.add(key)
        return Outcome(path, size, key, parts=parts)


_worker: Callable[[str], Outcome]
"""What a worker process reads files with."""


def _prepare(product: str, root: str, known: Sequence[str]) -> None:
    """Make this process a worker that reads the files of one work tree."""
    global _worker  # noqa: PLW0603 - an initializer has no other place for it
    _worker = Reader(root, known, PRODUCTS[product]).read


def _read_batch(paths: Sequence[str]) -> list[Outcome]:
    return [_worker(path) for path in paths]


def read_in_processes(
    product: Product[Kept], root: str, known: Sequence[str], sizes: Mapping[str, int], processes: int
) -> Iterator[Outcome]:
    """Yield the outcome of each file, in any order, read by several processes."""
    setup = (product.name, root, known)
    waiting = deque(_batches(sizes))
    with ProcessPool(
        processes, initializer=_prepare, initargs=setup, task_seconds=LIMITS.file_seconds
    ) as pool:
        for batch, future in completed(pool, _read_batch, waiting, 2 * processes):
            try:
                yield from future.result()
            except WorkerLost:
                if len(batch) > 1:  # each file alone, so that only the one at fault has no outcome
                    waiting.extend([path] for path in batch)
                else:
                    yield Outcome(batch[0], reason=FAILED)


def _batches(sizes: Mapping[str, int]) -> list[list[str]]:
    """Return the paths in batches that take about the same time."""
    found: list[list[str]] = []
    room = 0
    for path, size in sizes.items():
        if room < size or len(found[-1]) == _BATCH_FILES:
            found.append([])
            room = max(_BATCH_BYTES, size)
        found[-1].append(path)
        room -= size
    return found


def _reason(failure: HoldfastError) -> str:
    named = (
        (ParseTooLong, TOOK_TOO_LONG), (TooLarge, TOO_LARGE), (InvalidPath, NOT_REGULAR), (NotFound, GONE),
    )  # fmt: skip
    return next((reason for kind, reason in named if isinstance(failure, kind)), UNREADABLE)
