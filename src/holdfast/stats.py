"""How much there is: what every room counts, what lies on disk, and what this process has served.

Contract:
- Nothing stored is changed, and where nothing was ever stored no trace is left. Indexes may be brought up to
  date, as by any search.
- A room that cannot be counted is one entry with its reason; the others are counted all the same.
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
from holdfast.kernel.machine import disk_failures_named
from holdfast.kernel.models import NoArguments, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.telemetry.statistics import RECENT_DURATIONS, STATISTICS
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText

_BESIDE = ("-wal", "-shm", ".created", ".lock")
_ONE = {"replies": "reply"} | {f"{it}s": it for it in ("file", "issue", "milestone", "operation", "replica")}
_SQLITE = b"SQLite format 3\x00"
_HEADER = struct.Struct(">16s44xI")
"""The first bytes of a SQLite file: what it is, and the number of the migration that it has reached."""


class StoreStatistics(Output):
    """What one room has stored."""

    store: str = Field(description="The toolset whose store it is.")
    counts: dict[str, int] = Field(description="How many there are of what; empty when nothing was stored.")
    milliseconds: float = Field(description="How long opening and counting took.")
    problem: UntrustedText | None = Field(default=None, description="Why it could not be counted.")


class StoredFile(Output):
    """A file or folder of the store: data, an index, or a cache."""

    path: UntrustedText = Field(description="Where it is, from the root of the repository.")
    bytes: int = Field(description="Its size, with what its database keeps beside it.")
    version: int | None = Field(description="The version of its schema, where it is a database.")
    last_write: str = Field(serialization_alias="lastWrite", description="When it was last written to.")


class NameStatistics(Output):
    """The requests of one name."""

    name: str = Field(description="The operation, or the protocol's method.")
    requests: int = Field(description="How many were answered.")
    failed: int = Field(description="How many of them with a failure.")
    median: float = Field(
        description=f"Milliseconds that half of the latest {RECENT_DURATIONS} took at most."
    )
    percentile95: float = Field(
        description=f"Milliseconds that 95 % of the latest {RECENT_DURATIONS} took at most."
    )


class ServerStatistics(Output):
    """What the process that answers has served since it started."""

    seconds: float = Field(description="How long it has been serving.")
    worker: int = Field(description="Which of the server's processes this is, from 0.")
    workers: int = Field(description="How many processes the server has; each counts its own requests.")
    names: list[NameStatistics] = Field(description="The requests by name, most requested first.")


class StoresMeasured(Output):
    """How much there is in all."""

    bytes: int = Field(description="The size of everything in the store.")
    stores: list[StoreStatistics] = Field(description="What each room has stored.")
    files: list[StoredFile] = Field(description="What lies in the store, largest first.")
    server: ServerStatistics | None = Field(
        description="What this server has served; null on the command line, which serves nobody."
    )


def _words(result: StoresMeasured) -> str:
    lines = [
        f"{one.store}: {one.problem or _listed(one.counts) or 'nothing stored'} ({one.milliseconds:g} ms)"
        for one in result.stores
    ]
    lines.append(f"On disk: {result.bytes:,} bytes.")
    for file in result.files:
        version = "" if file.version is None else f", version {file.version}"
        lines.append(f"  {file.path}: {file.bytes:,} bytes{version}, last written {file.last_write}")
    if (served := result.server) is not None:
        which = f" by worker {served.worker} of {served.workers}" if served.workers > 1 else ""
        lines.append(f"Served{which} in {served.seconds:,.0f} s, with median and 95th percentile:")
        for one in served.names:
            counts = f"{one.requests:,}, {one.failed:,} failed"
            lines.append(f"  {one.name}: {counts}, {one.median:g} and {one.percentile95:g} ms")
    return "\n".join(lines)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(counted(count, _of_one(name), name) for name, count in counts.items())


def _of_one(name: str) -> str:
    """Return what is counted as it is called where there is one: `issue open` for `issues open`."""
    noun, space, state = name.partition(" ")
    return f"{_ONE.get(noun, noun)}{space}{state}"


@toolset.operation(
    "measure_stores",
    title="Count what is stored",
    effect=Effect.READ,
    command="stats",
    shortcut="stats",
    example="holdfast stats",
    text=_words,
    listed=False,
)
def measure_stores(room: StoreRoom, arguments: NoArguments) -> StoresMeasured:
    """Count what every room has stored, and measure it on disk.

    A server also says what it has served since it started: requests, failures, and how long they took.
    Nothing stored is changed.
    """
    del arguments
    stores = list(_counted(room))
    files = sorted(_files(room), key=lambda file: (-file.bytes, file.path))
    total = sum(file.bytes for file in files)
    return StoresMeasured(bytes=total, stores=stores, files=files, server=_served())


def _counted(room: StoreRoom) -> Iterator[StoreStatistics]:
    for name, opened in room.counted().items():
        began, counts, problem = monotonic(), dict[str, int](), None
        try:
            counts = opened().counts()
        except HoldfastError as failure:
            problem = failure.sentence()
        milliseconds = round((monotonic() - began) * 1000, 1)
        yield StoreStatistics(store=name, counts=counts, milliseconds=milliseconds, problem=problem)


def _files(room: StoreRoom) -> Iterator[StoredFile]:
    directory = room.repository.store_directory
    if os.path.islink(directory) or not os.path.isdir(directory):
        return
    sizes, moments = defaultdict[str, int](int), defaultdict[str, float](float)
    for top, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(top, name)
            entry = os.path.relpath(path, directory).split(os.sep)[0]
            entry = next((entry.removesuffix(end) for end in _BESIDE if entry.endswith(end)), entry)
            with suppress(FileNotFoundError), disk_failures_named(name):
                status = os.lstat(path)
                sizes[entry] += status.st_size
                # Readers make these files, too: an index of the log, and a log with nothing in it.
                written = status.st_size and not name.endswith("-shm")
                moments[entry] = max(moments[entry], status.st_mtime if written else 0)
    for entry, size in sizes.items():
        path = os.path.join(directory, entry)
        if size:
            moment = rfc3339_of_seconds(int(moments[entry]))
            version = _version(path)
            yield StoredFile(path=room.named(path), bytes=size, version=version, last_write=moment)


def _version(path: str) -> int | None:
    """Return the version in a database's header, without opening it as one."""
    if not path.endswith(".sqlite") or not os.path.isfile(path):
        return None
    with disk_failures_named(os.path.basename(path)), open(path, "rb") as file:
        header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(_SQLITE):
        return None
    return int(_HEADER.unpack(header)[1])


def _served() -> ServerStatistics | None:
    if STATISTICS.began is None:
        return None
    named = [
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
        names=sorted(named, key=lambda one: (-one.requests, one.name)),
    )
