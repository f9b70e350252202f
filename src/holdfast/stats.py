"""`holdfast stats`: counts the data of every room, the files on disk, and the requests that were served.

Contract:
- Stored data does not change, and an unused store is not created. Indexes may be updated, as in any search.
- A room that cannot be counted is reported with the reason; the others are counted.
"""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from pydantic import Field

from holdfast.doctor import StoreRoom, toolset
from holdfast.kernel.clock import monotonic, rfc3339_of_seconds
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.machine import translate_disk_errors
from holdfast.kernel.models import NoArguments, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.telemetry.statistics import MAX_DURATIONS, STATISTICS
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

# Of SQLite's files beside a database, and of the lock files and creation marks of stores.
_AUXILIARY_SUFFIXES = ("-wal", "-shm", ".created", ".lock")
_SINGULARS = {"replies": "reply"} | {
    f"{noun}s": noun for noun in ("file", "issue", "milestone", "operation", "replica")
}
"""The counts whose names start with a noun; others, such as `waiting`, have no plural."""
_SQLITE_MAGIC = b"SQLite format 3\x00"
_SQLITE_HEADER = struct.Struct(">16s44xI")
"""The start of a SQLite header (https://sqlite.org/fileformat.html): magic string and user version."""


class StoreStatistics(Output):
    """The data that one room has stored."""

    store: str = Field(description="Name of the toolset that the store belongs to.")
    counts: dict[str, int] = Field(description="Counts by kind; empty if nothing was stored.")
    milliseconds: float = Field(description="Time to open the store and count.")
    problem: UntrustedText | None = Field(default=None, description="Why the data could not be counted.")


class StoredFile(Output):
    """A file or folder of the store: data, an index, or a cache."""

    path: UntrustedText = Field(description="Path from the root of the repository.")
    bytes: int = Field(description="Size of the file or folder, with the auxiliary files of a database.")
    version: int | None = Field(description="Schema version of a database; null for other files.")
    last_write: str = Field(serialization_alias="lastWrite", description="Time of the last write.")


class NameStatistics(Output):
    """Statistics of the requests for one name."""

    name: str = Field(description="The operation or protocol method.")
    requests: int = Field(description="Number of requests answered.")
    failed: int = Field(description="Number of those that failed.")
    median: float = Field(description=f"Median of the latest {MAX_DURATIONS}, in milliseconds.")
    percentile95: float = Field(
        description=f"95th percentile of the latest {MAX_DURATIONS}, in milliseconds."
    )


class ServerStatistics(Output):
    """Requests served by this process since it started."""

    seconds: float = Field(description="Seconds since this process started serving.")
    worker: int = Field(description="Index of this process among the server's, from 0.")
    workers: int = Field(description="Number of the server's processes; each counts its own requests.")
    names: list[NameStatistics] = Field(description="The requests by name, most requested first.")


class StoresMeasured(Output):
    """The sizes and counts of all stores."""

    bytes: int = Field(description="Total size of all files of the store.")
    stores: list[StoreStatistics] = Field(description="The counts of each room.")
    files: list[StoredFile] = Field(description="The files of the store, largest first.")
    server: ServerStatistics | None = Field(
        description="Requests served by this server; null on the command line."
    )


def _text(result: StoresMeasured) -> str:
    lines = [f"{store.store}: {_store_text(store)} ({store.milliseconds:g} ms)" for store in result.stores]
    lines.append(f"On disk: {result.bytes:,} bytes.")
    for file in result.files:
        version = "" if file.version is None else f", version {file.version}"
        lines.append(f"  {file.path}: {file.bytes:,} bytes{version}, last written {file.last_write}")
    if (served := result.server) is not None:
        worker = f" by worker {served.worker} of {served.workers}" if served.workers > 1 else ""
        lines.append(f"Served{worker} in {served.seconds:,.0f} s, with median and 95th percentile:")
        for item in served.names:
            counts = f"{item.requests:,}, {item.failed:,} failed"
            lines.append(f"  {item.name}: {counts}, {item.median:g} and {item.percentile95:g} ms")
    return "\n".join(lines)


def _store_text(store: StoreStatistics) -> str:
    if store.problem:
        return store.problem
    counts = [counted(count, _singular(name), name) for name, count in store.counts.items()]
    return ", ".join(counts) or "nothing stored"


def _singular(name: str) -> str:
    """Return the singular of a count's name: `issue open` for `issues open`."""
    noun, space, state = name.partition(" ")
    return f"{_SINGULARS.get(noun, noun)}{space}{state}"


@toolset.operation(
    "measure_stores",
    title="Count what is stored",
    effect=Effect.READ,
    command="stats",
    shortcut="stats",
    example="holdfast stats",
    text=_text,
    listed=False,
)
def measure_stores(room: StoreRoom, _arguments: NoArguments) -> StoresMeasured:
    """Count what every room has stored, and measure its size on disk.

    A server also reports the requests it has served since it started: numbers, failures and durations.
    Stored data does not change.
    """
    stores = list(_count_rooms(room))
    files = sorted(_stored_files(room), key=lambda file: (-file.bytes, file.path))
    total = sum(file.bytes for file in files)
    return StoresMeasured(bytes=total, stores=stores, files=files, server=_server_statistics())


def _count_rooms(room: StoreRoom) -> Iterator[StoreStatistics]:
    for name, open_room in room.countable_rooms().items():
        start = monotonic()
        counts: dict[str, int] = {}
        problem = None
        try:
            counts = open_room().counts()
        except HoldfastError as failure:
            problem = failure.sentence()
        milliseconds = round((monotonic() - start) * 1000, 1)
        yield StoreStatistics(store=name, counts=counts, milliseconds=milliseconds, problem=problem)


def _stored_files(room: StoreRoom) -> Iterator[StoredFile]:
    directory = room.repository.store_directory
    if os.path.islink(directory) or not os.path.isdir(directory):
        return
    sizes: defaultdict[str, int] = defaultdict(int)
    times: defaultdict[str, float] = defaultdict(float)
    for top, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(top, name)
            entry = _main_file(os.path.relpath(path, directory).split(os.sep)[0])
            with suppress(FileNotFoundError), translate_disk_errors(name):
                status = os.lstat(path)
                sizes[entry] += status.st_size
                # Readers also create SQLite's shared-memory file and an empty write-ahead log.
                is_written = status.st_size and not name.endswith("-shm")
                times[entry] = max(times[entry], status.st_mtime if is_written else 0)
    for entry, size in sizes.items():
        path = os.path.join(directory, entry)
        if size:
            last_write = rfc3339_of_seconds(int(times[entry]))
            version = _version(path)
            yield StoredFile(path=room.display_path(path), bytes=size, version=version, last_write=last_write)


def _main_file(name: str) -> str:
    for suffix in _AUXILIARY_SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def _version(path: str) -> int | None:
    """Return the user version in a SQLite header, without opening the database."""
    if not path.endswith(".sqlite") or not os.path.isfile(path):
        return None
    with translate_disk_errors(os.path.basename(path)), open(path, "rb") as file:
        header = file.read(_SQLITE_HEADER.size)
    if len(header) < _SQLITE_HEADER.size or not header.startswith(_SQLITE_MAGIC):
        return None
    return int(_SQLITE_HEADER.unpack(header)[1])


def _server_statistics() -> ServerStatistics | None:
    if STATISTICS.began is None:
        return None
    names = [
        NameStatistics(
            name=name,
            requests=served.requests,
            failed=served.failed,
            median=round(served.percentile(0.5) * 1000, 3),
            percentile95=round(served.percentile(0.95) * 1000, 3),
        )
        for name, served in STATISTICS.by_name().items()
    ]
    return ServerStatistics(
        seconds=round(monotonic() - STATISTICS.began, 1),
        worker=STATISTICS.worker,
        workers=STATISTICS.workers,
        names=sorted(names, key=lambda item: (-item.requests, item.name)),
    )
