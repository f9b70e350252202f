"""Git's own files for single objects and refs, written and read without starting git.

Contract:
- The bytes are those git would write, where git would put them: an object compressed under its hash, a ref as
  a line behind git's lock file. git, and whoever else uses the repository, sees no difference.
- An object is flushed before it gets its name, a ref before it gets its new value, as git does with
  `core.fsync=committed`. Whoever moves a ref flushes the directory too (see `refs.py`).
- `is_plain` says whether a repository keeps its objects and refs in this way and no other. Where it does not,
  git itself has to be asked.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.kernel.clock import monotonic
from holdfast.kernel.machine import disk_failures_named
from holdfast.storage.files.atomic import TEMPORARY_SUFFIX
from holdfast.storage.git.command import Git

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
_MOST_BYTES = 64 * 1024 * 1024
_PAUSE_SECONDS = 0.005
_STORE = "holdfast"
_MATTERS = r"^(core\.(sharedrepository|logallrefupdates)|extensions\..*)$"
_HARMLESS = ("extensions.worktreeconfig", "extensions.preciousobjects", "extensions.relativeworktrees")


class LooseObjects:
    """The loose objects of one repository."""

    def __init__(self, common_directory: str, git: Git) -> None:
        self._common = common_directory
        self._git = git
        self._format: str | None = None
        self._is_plain: bool | None = None

    @property
    def is_plain(self) -> bool:
        """Whether everything a repository's configuration says about objects and refs is as usual."""
        if self._is_plain is None:
            settings = self._settings()
            self._format = settings.pop("extensions.objectformat", "sha1").lower()
            always = settings.pop("core.logallrefupdates", "true").lower() == "always"
            shared = settings.pop("core.sharedrepository", "false").lower() not in ("false", "umask", "0")
            strange = [key for key in settings if key not in _HARMLESS]
            self._is_plain = not (always or shared or strange) and self._format in _HASHES
        return self._is_plain

    def write(self, kind: str, content: bytes) -> str:
        """Write an object durably, unless it is there already, and return its id."""
        data = b"%s %d\0%s" % (kind.encode("ascii"), len(content), content)
        name = _HASHES[self._format or "sha1"](data).hexdigest()
        path = self._path(name)
        with disk_failures_named(f"objects/{name[:2]}"):
            if not os.path.lexists(path):
                _write_object(path, zlib.compress(data, 1))
        return name

    def read(self, name: str) -> tuple[str, bytes] | None:
        """Return the kind and content of an object, or None when it is not there as a file, or damaged."""
        try:
            descriptor = os.open(self._path(name), _READ)
        except OSError:
            return None
        try:
            stored = os.read(descriptor, _MOST_BYTES)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return self._opened(name, stored)

    def _opened(self, name: str, stored: bytes) -> tuple[str, bytes] | None:
        try:
            data = zlib.decompressobj().decompress(stored, _MOST_BYTES)
        except zlib.error:
            return None
        if _HASHES[self._format or "sha1"](data).hexdigest() != name:
            return None
        head, _, content = data.partition(b"\0")
        return head.decode("ascii", "replace").partition(" ")[0], content

    def _path(self, name: str) -> str:
        return os.path.join(self._common, "objects", name[:2], name[2:])

    def _settings(self) -> dict[str, str]:
        output = self._git.execute("config", "--null", "--get-regexp", _MATTERS).output
        entries = (entry.partition("\n") for entry in output.decode(errors="replace").split("\0") if entry)
        return {key.lower(): value for key, _, value in entries}


class RefLock:
    """Git's lock on one ref, taken with the new value already in it and flushed.

    So it exists for no longer than it takes to compare the old value: who is killed rarely leaves it behind.
    Leaving without `replace` changes nothing.
    """

    def __init__(self, common_directory: str, ref: str, value: str, *, wait: float) -> None:
        self._path = os.path.join(common_directory, ref)
        self._temporary = os.path.join(
            common_directory, _STORE, f".ref.{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"
        )
        self._value = f"{value}\n".encode("ascii")
        self._wait = wait
        self._is_held = False

    def __enter__(self) -> RefLock:
        ends = monotonic() + self._wait
        with _written(self._temporary, self._value, 0o666):
            while True:
                os.makedirs(os.path.dirname(self._path), exist_ok=True)
                try:
                    os.link(self._temporary, f"{self._path}.lock")
                    self._is_held = True
                    return self
                except (FileExistsError, FileNotFoundError):
                    if monotonic() > ends:
                        raise
                    time.sleep(_PAUSE_SECONDS)

    def replace(self) -> None:
        """Give the ref its new value."""
        os.rename(f"{self._path}.lock", self._path)
        self._is_held = False

    def __exit__(self, *_: object) -> None:
        if self._is_held:
            os.unlink(f"{self._path}.lock")


@contextmanager
def _written(temporary: str, data: bytes, mode: int) -> Iterator[None]:
    """Have a flushed file for as long as it takes to give it its name; whoever renames it ends that."""
    descriptor = os.open(temporary, _NEW, mode)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        yield
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)


def _write_object(path: str, data: bytes) -> None:
    directory = os.path.dirname(path)
    os.makedirs(directory, exist_ok=True)
    # Under this name, `git gc` removes what a killed process leaves behind.
    temporary = os.path.join(directory, f"tmp_obj_{os.urandom(4).hex()}")
    with _written(temporary, data, 0o444):
        os.rename(temporary, path)
