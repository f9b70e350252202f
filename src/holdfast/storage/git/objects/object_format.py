"""The ids of objects, and whether a repository stores objects and refs in git's usual way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.storage.git.command import Git

_HASHES: dict[str, Callable[..., hashlib._Hash]] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
_SHA1_DIGITS = 40

_FORMAT_SETTINGS = r"^(core\.(sharedrepository|logallrefupdates)|extensions\..*)$"
_HARMLESS_EXTENSIONS = (
    "extensions.worktreeconfig",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
)
"""Extensions that change neither the format nor the location of objects and refs."""


def is_id_of(object_id: str, stored: bytes) -> bool:
    """Return whether an id is that of an object, given in the form of `stored_form`."""
    algorithm = "sha1" if len(object_id) == _SHA1_DIGITS else "sha256"
    return _HASHES[algorithm](stored).hexdigest() == object_id


def stored_form(kind: str, content: bytes) -> bytes:
    """Return an object as git hashes it, with its kind and size before its content."""
    return b"%b %d\0%b" % (kind.encode("ascii"), len(content), content)


class ObjectFormat:
    """The hash function of one repository, and whether our own writer can be used in it."""

    def __init__(self, git: Git) -> None:
        self._git = git

    @cached_property
    def is_plain(self) -> bool:
        """Whether the configuration has only the usual settings for objects and refs."""
        settings = self._settings.copy()
        algorithm = settings.pop("extensions.objectformat", "sha1").lower()
        logs_always = settings.pop("core.logallrefupdates", "true").lower() == "always"
        is_shared = settings.pop("core.sharedrepository", "false").lower() not in ("false", "umask", "0")
        unusual = [key for key in settings if key not in _HARMLESS_EXTENSIONS]
        return not (logs_always or is_shared or unusual) and algorithm in _HASHES

    @cached_property
    def _settings(self) -> dict[str, str]:
        return {key.lower(): value for key, value in self._git.settings(_FORMAT_SETTINGS)}

    def object_id(self, kind: str, content: bytes) -> str:
        """Return the id of an object, of a kind such as `blob`."""
        return self.digest(stored_form(kind, content)).hex()

    def digest(self, data: bytes) -> bytes:
        """Return the hash of some bytes."""
        return _HASHES[self._settings.get("extensions.objectformat", "sha1").lower()](data).digest()
