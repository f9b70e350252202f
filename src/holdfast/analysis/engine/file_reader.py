"""Reads a file and computes its product (a record or tokens), or returns why there is none.

Many files are parsed by the compiled core where it is built, otherwise in several processes.

Contract: a file that cannot be read, decoded or parsed gives a result with a reason, never an exception, and
a failure of a parser is logged. A file that turns out not to be source has neither key nor reason. Worker
processes import this module, so it imports little besides the parser.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha1
from posixpath import splitext
from traceback import extract_tb
from typing import TYPE_CHECKING, NamedTuple

from holdfast.analysis.engine.product import PRODUCTS, RECORDS, FileProduct, Product, SourceText
from holdfast.analysis.engine.source_text import (
    MINIFIED,
    UNDECODABLE,
    decode_text,
    is_minified,
    may_be_source,
    reason_to_skip,
)
from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.pool import ProcessPool, run_unordered
from holdfast.storage.processes.worker import WorkerLost
from holdfast.syntax.core.sections import Parts
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong

if TYPE_CHECKING:
    from holdfast._core import ReadFailure

TOO_LARGE = "too large"
TOOK_TOO_LONG = "took too long"
FAILED = "could not be analysed"
UNREADABLE = "unreadable"
NOT_REGULAR = "not a regular file"
GONE = "gone"
"""The file was deleted since it was discovered; it no longer belongs to the project."""

_PROCESS_ENDED = "the process that read it ended"
_FIRST_LINE_BYTES = 256
"""Bytes in which an interpreter line (`#!`) is searched for: Linux reads as many, see execve(2)."""

_MAX_BATCH_FILES = 64
"""Files that a worker reads at once. A judgement: a batch takes far longer than handing it over, but only
milliseconds, so that all workers end at about the same time."""
_MAX_BATCH_BYTES = 64 * 1024
"""Bytes that a worker reads at once, unless one file has more: for the same reason."""
_COMPILED_BATCH_BYTES = 512 * 1024
"""Bytes of a batch of the compiled core, for each thread. A judgement: handing a batch over takes far less
time than parsing it, but a cancelled scan does not wait long for it."""
_COMPILED_BATCH_FILES = 1000
"""Files of a batch of the compiled core, so that the progress of tiny files is reported too: a judgement."""
_COMPILED_BATCHES = 2
"""Batches that the compiled core parses at a time, so that no thread waits for the last file of a batch."""


class ReadResult(NamedTuple):
    """The result of reading one file."""

    path: str
    size: int = 0
    key: str = ""
    """Language, file extension and content hash; files with equal keys have equal products."""
    reason: str = ""
    """Why the file is skipped, if it is."""
    parts: Parts | None = None
    """The product in its cached form; None if its key was known already, or if there is no product."""
    failure: str = ""
    """The exception that the parser raised, and where; never its message, which may quote source."""


class Unparsed(NamedTuple):
    """A file that was read, and whose product is to be computed."""

    source: SourceText
    size: int
    key: str


class FileReader:
    """Reads the files of one work tree. Equal contents are parsed once, and those with a known key never."""

    def __init__(
        self, root: str, known_keys: Iterable[str] = (), product: Product[FileProduct] = RECORDS
    ) -> None:
        self._product = product
        self._tree = Tree(Repository(root))
        self._known_keys = set(known_keys)

    def read(self, path: str, content: bytes | None = None) -> ReadResult:
        """Read a file, or parse a former content of it; log a warning if the parser fails."""
        return log_failure(self.read_unlogged(path, content))

    def read_unlogged(self, path: str, content: bytes | None = None) -> ReadResult:
        """Do the same in a worker process, which has no log; its parent logs the failure."""
        return self.parse(self.read_text(path, content))

    def read_text(self, path: str, content: bytes | None = None) -> ReadResult | Unparsed:
        """Read a file up to the point where it has to be parsed."""
        try:
            data = self._read_source(path) if content is None else content
            return ReadResult(path) if data is None else self._decode(path, data)
        except Exception as failure:
            return failed_result(path, failure)

    def parse(self, read: ReadResult | Unparsed) -> ReadResult:
        """Parse what was read, if it has to be."""
        if isinstance(read, ReadResult):
            return read
        try:
            return self._result(read, self._product.make(read.source))
        except Exception as failure:  # one file that a parser fails on must not stop the others
            return failed_result(read.source.path, failure)

    def parse_batch(self, files: Sequence[Unparsed], threads: int) -> list[ReadResult]:
        """Parse files with the compiled core, which has to be built."""
        made = self._product.make_compiled([file.source for file in files], threads)
        return [
            self._result(file, parts) if isinstance(parts, tuple) else _failed_parse(file.source.path, parts)
            for file, parts in zip(files, made, strict=True)
        ]

    def _result(self, read: Unparsed, parts: Parts | None) -> ReadResult:
        if parts is None:
            return ReadResult(read.source.path)
        self._known_keys.add(read.key)
        return ReadResult(read.source.path, read.size, read.key, parts=parts)

    def _read_source(self, path: str) -> bytes | None:
        """Return the content of a file, or None if neither its name nor its first line marks it as source."""
        parsed = RepoPath.parse(path)
        if may_be_source(path) is None:
            with self._tree.open_read(parsed) as file:
                head = file.read(_FIRST_LINE_BYTES)
            if language_of(path, head.decode("utf-8", "replace")) is None:
                return None
        return self._tree.read_bytes(parsed, LIMITS.source_file_bytes)

    def _decode(self, path: str, data: bytes) -> ReadResult | Unparsed:
        size = len(data)
        if (reason := reason_to_skip(data)) is not None:
            return ReadResult(path, size, reason=reason)
        text = decode_text(data)
        if text is None:
            return ReadResult(path, size, reason=UNDECODABLE)
        language = language_of(path, text)
        if language is None:
            return ReadResult(path)
        if is_minified(data, language.name):
            return ReadResult(path, size, reason=MINIFIED)
        digest = sha1(data, usedforsecurity=False).hexdigest()
        key = f"{language.name}:{splitext(path)[1]}:{digest}"
        if key in self._known_keys:
            return ReadResult(path, size, key)
        return Unparsed(SourceText(path, language.name, text.encode("utf-8", "replace")), size, key)


def failed_result(path: str, failure: Exception) -> ReadResult:
    """Return the result of a file that could not be read or parsed."""
    if isinstance(failure, HoldfastError):
        return ReadResult(path, reason=_skip_reason(failure))
    return ReadResult(path, reason=FAILED, failure=_describe_failure(failure))


def _failed_parse(path: str, failure: ReadFailure) -> ReadResult:
    if failure.too_long:
        return ReadResult(path, reason=TOOK_TOO_LONG)
    return ReadResult(path, reason=FAILED, failure=failure.message)


def log_failure(result: ReadResult) -> ReadResult:
    """Log a warning if the parser failed, and return the result unchanged."""
    if result.failure:
        import logging  # not needed by most reads, and slow to import

        message = "%s could not be analysed: %s"
        logging.getLogger(__name__).warning(message, ascii(result.path), result.failure)
    return result


def _describe_failure(failure: Exception) -> str:
    frame = extract_tb(failure.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}"
    return f"{type(failure).__name__} at {place}"


_read_in_worker: Callable[[str], ReadResult]
"""Reads one file; set in worker processes only."""


def _initialize_worker(product: str, root: str, known_keys: Sequence[str]) -> None:
    """Make this process a worker that reads the files of one work tree."""
    global _read_in_worker  # noqa: PLW0603 - an initializer can only store its result globally
    _read_in_worker = FileReader(root, known_keys, PRODUCTS[product]).read_unlogged


def _read_batch(paths: Sequence[str]) -> list[ReadResult]:
    return [_read_in_worker(path) for path in paths]


def read_in_processes(
    product: Product[FileProduct],
    root: str,
    known_keys: Sequence[str],
    sizes: Mapping[str, int],
    processes: int,
) -> Iterator[ReadResult]:
    """Read the files that have sizes in several processes, and yield the results in any order."""
    arguments = (product.name, root, known_keys)
    queue = deque(_batches(sizes))
    with ProcessPool(
        processes, initializer=_initialize_worker, initargs=arguments, task_seconds=LIMITS.file_seconds
    ) as pool:
        # Two batches for each process: one that it reads, and one that waits for it.
        for batch, future in run_unordered(pool, _read_batch, queue, 2 * processes):
            try:
                yield from map(log_failure, future.result())
            except WorkerLost:
                if len(batch) > 1:  # retried one by one, so that only the file at fault fails
                    queue.extend([path] for path in batch)
                else:
                    yield log_failure(ReadResult(batch[0], reason=FAILED, failure=_PROCESS_ENDED))


def _batches(sizes: Mapping[str, int]) -> list[list[str]]:
    """Divide paths into batches of about the same number of bytes."""
    batches: list[list[str]] = []
    bytes_left = 0
    for path, size in sizes.items():
        if not batches or bytes_left < size or len(batches[-1]) == _MAX_BATCH_FILES:
            batches.append([])
            bytes_left = max(_MAX_BATCH_BYTES, size)
        batches[-1].append(path)
        bytes_left -= size
    return batches


def parse_in_threads(
    reader: FileReader, files: Iterable[ReadResult | Unparsed], threads: int
) -> Generator[ReadResult, None, None]:
    """Parse files with the compiled core in several threads, and yield the results in any order.

    While batches are parsed the next one is read. Closing this generator waits for those being parsed.
    """
    parsing: deque[tuple[list[Unparsed], Future[list[ReadResult]]]] = deque()
    copies: list[tuple[str, str]] = []
    results: dict[str, ReadResult] = {}  # of each content, without its product

    def parsed() -> Iterator[ReadResult]:
        batch, future = parsing.popleft()
        for file, result in zip(batch, future.result(), strict=True):
            results[file.key] = result._replace(parts=None)
            yield log_failure(result)

    executor = ThreadPoolExecutor(_COMPILED_BATCHES, thread_name_prefix="parser")
    try:
        for batch in _batches_of_texts(_distinct(files, copies), threads * _COMPILED_BATCH_BYTES):
            unparsed = [file for file in batch if isinstance(file, Unparsed)]
            parsing.append((unparsed, executor.submit(reader.parse_batch, unparsed, threads)))
            yield from (log_failure(file) for file in batch if isinstance(file, ReadResult))
            if len(parsing) > _COMPILED_BATCHES:
                yield from parsed()
        while parsing:
            yield from parsed()
        yield from (log_failure(results[key]._replace(path=path)) for path, key in copies)
    finally:
        executor.shutdown(cancel_futures=True)


def _distinct(
    files: Iterable[ReadResult | Unparsed], copies: list[tuple[str, str]]
) -> Iterator[ReadResult | Unparsed]:
    """Yield the first file with each content; append the path and key of the others to `copies`."""
    keys: set[str] = set()
    for file in files:
        if isinstance(file, Unparsed) and file.key in keys:
            copies.append((file.source.path, file.key))
            continue
        if isinstance(file, Unparsed):
            keys.add(file.key)
        yield file


def _batches_of_texts(
    files: Iterable[ReadResult | Unparsed], max_bytes: int
) -> Iterator[list[ReadResult | Unparsed]]:
    """Divide files into batches with at least so many bytes to parse, or so many files, as they are read."""
    batch: list[ReadResult | Unparsed] = []
    unparsed_bytes = 0
    for file in files:
        batch.append(file)
        unparsed_bytes += len(file.source.text) if isinstance(file, Unparsed) else 0
        if unparsed_bytes >= max_bytes or len(batch) == _COMPILED_BATCH_FILES:
            yield batch
            batch, unparsed_bytes = [], 0
    if batch:
        yield batch


def _skip_reason(failure: HoldfastError) -> str:
    reasons = (
        (ParseTooLong, TOOK_TOO_LONG), (TooLarge, TOO_LARGE), (InvalidPath, NOT_REGULAR), (NotFound, GONE),
    )  # fmt: skip
    return next((reason for error, reason in reasons if isinstance(failure, error)), UNREADABLE)
