"""The hash function of a repository, and whether it stores objects and refs in git's default way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.storage.git.command import Git

HASHES: dict[str, Callable[..., hashlib._Hash]] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}

_FORMAT_SETTINGS = r"^(core\.(sharedrepository|logallrefupdates)|extensions\..*)$"
_HARMLESS_EXTENSIONS = (
    "extensions.worktreeconfig",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
)
"""Extensions that change neither the format nor the location of objects and refs."""


class ObjectFormat:
    """The hash function of one repository, and whether our own writer can be used in it."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._hash: str | None = None
        self._is_plain: bool | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the configuration has only the usual settings for objects and refs."""
        if self._is_plain is None:
            settings = {key.lower(): value for key, value in self._git.settings(_FORMAT_SETTINGS)}
            self._hash = settings.pop("extensions.objectformat", "sha1").lower()
            logs_always = settings.pop("core.logallrefupdates", "true").lower() == "always"
            is_shared = settings.pop("core.sharedrepository", "false").lower() not in ("false", "umask", "0")
            unusual = [key for key in settings if key not in _HARMLESS_EXTENSIONS]
            self._is_plain = not (logs_always or is_shared or unusual) and self._hash in HASHES
        return self._is_plain

    def object_id(self, kind: str, content: bytes) -> str:
        """Return the id of an object."""
        return self.digest(b"%s %d\0%s" % (kind.encode("ascii"), len(content), content)).hex()

    def digest(self, data: bytes) -> bytes:
        """Return the hash of some bytes."""
        return HASHES[self._hash or "sha1"](data).digest()
