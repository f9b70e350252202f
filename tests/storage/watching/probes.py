"""Probes of a database, of a file, and of the refs below a prefix."""

from __future__ import annotations

import os

from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.files.directories import StrPath
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.watching.topic_source import Probe


def database_probe(database: Database) -> Probe:
    """Probe a database through a separate connection, which sees what all others commit."""
    return database.data_version


def file_probe(path: StrPath) -> Probe:
    """Probe a file's signature; that it is missing is a value like any other."""
    return lambda: _signature(path)


def ref_probe(repository: Repository, prefix: str) -> Probe:
    """Probe the refs below a prefix without starting git.

    Loose refs show in their own signatures, packed ones in that of `packed-refs`. A repository that keeps its
    refs in tables rewrites one list with each change of any ref; there, changes elsewhere are noticed too.
    """
    common = repository.common_dir
    if common is None or not prefix.startswith("refs/") or ".." in prefix.split("/"):
        raise InvalidArguments(
            f"{prefix!a} names no refs of this repository.", hint="It begins with 'refs/'."
        )
    loose = os.path.join(common, *prefix.strip("/").split("/"))
    shared = [os.path.join(common, name) for name in ("packed-refs", os.path.join("reftable", "tables.list"))]
    return lambda: (_tree_signatures(loose), [_signature(path) for path in shared])


def _signature(path: StrPath) -> tuple[int, ...] | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode


def _tree_signatures(path: str) -> dict[str, tuple[int, ...] | None]:
    """Return the signature of a path and of everything below it."""
    found = {path: _signature(path)}
    for directory, _, names in os.walk(path):
        found[directory] = _signature(directory)
        found.update(
            (place, _signature(place)) for place in (os.path.join(directory, name) for name in names)
        )
    return found
